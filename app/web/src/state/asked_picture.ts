import { signal } from '@preact/signals';
import { t } from '../words/say';

const KEY = 'commonplace.asked-picture';
/** Larger is not looked at by what compares pictures. */
const SIDE = 512;

export interface AskedPicture {
  key: string;
  /** The picture itself, small, as a data address. */
  address: string;
}

function kept(): AskedPicture | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '') as AskedPicture;
  } catch {
    return undefined;
  }
}

/** The picture that was dropped last, for which others are looked for; it is kept until the tab is closed. */
export const askedPicture = signal<AskedPicture | undefined>(globalThis.sessionStorage ? kept() : undefined);

/** The sides of a picture that fits into a square, and is never enlarged. */
export function reduced(width: number, height: number, side = SIDE): [width: number, height: number] {
  const scale = Math.min(1, side / Math.max(width, height, 1));
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

async function drawn(file: Blob): Promise<string> {
  const source = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    // A drawing may say no size of its own.
    [canvas.width, canvas.height] = reduced(image.naturalWidth || SIDE, image.naturalHeight || SIDE);
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/jpeg', 0.92);
  } finally {
    URL.revokeObjectURL(source);
  }
}

/** Keeps a picture to be asked with; Error if it is none that the browser can show. */
export async function keepPicture(file: Blob): Promise<string> {
  let address: string;
  try {
    address = await drawn(file);
  } catch {
    throw new Error(t('This is no picture that can be shown here.'));
  }
  const key = String(Date.now());
  askedPicture.value = { key, address };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(askedPicture.value));
  } catch {
    // It is there until the page is loaded anew.
  }
  return key;
}

/** The only picture among what is dropped or pasted, if it is one alone. */
export function onlyPicture(data: DataTransfer | null): File | undefined {
  const files = [...(data?.files ?? [])];
  return files.length === 1 && /^image\//.test(files[0]!.type) ? files[0] : undefined;
}
