import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'commonplace.theme';

function stored(): Theme {
  const text = localStorage.getItem(KEY);
  return text === 'light' || text === 'dark' ? text : 'system';
}

export const theme = signal<Theme>('system');

export function isDark(): boolean {
  if (theme.value !== 'system') return theme.value === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

function show(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

export function startTheme(): void {
  theme.value = stored();
  show();
}

export function switchTheme(): void {
  theme.value = isDark() ? 'light' : 'dark';
  localStorage.setItem(KEY, theme.value);
  show();
}
