import { effect, signal } from '@preact/signals';

/** How high rows of pictures are, from small to large. */
export const TILE_SIZES = [96, 140, 190, 260, 360];
const KEY = 'commonplace.looks';

interface Looks {
  size?: number;
  mode?: 'grid' | 'list';
}

function kept(): Looks {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Looks;
  } catch {
    return {};
  }
}

const before = kept();
export const tileSize = signal(before.size !== undefined && TILE_SIZES[before.size] ? before.size : 2);
/** Pictures or lines; undefined for what fits the results. */
export const viewMode = signal<'grid' | 'list' | undefined>(before.mode);

/** On a phone, so that two or three stand side by side. */
export const tileHeight = () => Math.min(TILE_SIZES[tileSize.value]!, Math.max(90, innerWidth * 0.36));

effect(() => localStorage.setItem(KEY, JSON.stringify({ size: tileSize.value, mode: viewMode.value })));
