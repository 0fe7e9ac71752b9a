import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: process.env.COMMONPLACE_WEB_OUT || 'dist',
    emptyOutDir: true,
    target: 'es2021',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:5000' } },
  test: { include: ['src/**/*.test.ts'] },
});
