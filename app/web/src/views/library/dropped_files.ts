/** A file under the path that it is sent by. */
export interface NamedFile {
  name: string;
  file: File;
}

/** What is found in folders, with the path to it. */
export interface Found {
  path: string[];
  file: File;
}

/** Files that become a collection. */
export interface Bundle {
  /** What the collection could be called, before it is made a name. */
  from: string;
  files: NamedFile[];
  pictures: boolean;
}

export interface Dropped {
  bundles: Bundle[];
  /** What nothing can be made of. */
  left: string[];
}

const PICTURE = /\.(jpe?g|png|webp|tiff?|svgz?|gif)$/i;
const BESIDE = /\.xmp$/i;
/** Files that are a collection each. */
const TABLE = /\.(jsonl|ndjson|csv|tsv|html?|json|bib|svm|libsvm|txt|xml)(\.gz)?$|\.gz$/i;

/** Pictures of a folder become one collection with their sub-folders, tables and bookmarks one each. */
export function bundled(found: Found[]): Dropped {
  const folders = new Map<string, NamedFile[]>();
  const bundles: Bundle[] = [];
  const left: string[] = [];
  for (const { path, file } of found) {
    const name = path[path.length - 1]!;
    const folder = path.length > 1 ? path[0]! : '';
    if (PICTURE.test(name) || BESIDE.test(name)) {
      const below = path.length > 1 ? path.slice(1) : path;
      folders.set(folder, [...(folders.get(folder) ?? []), { name: below.join('/'), file }]);
    } else if (TABLE.test(name)) {
      bundles.push({ from: name, files: [{ name, file }], pictures: false });
    } else {
      left.push(path.join('/'));
    }
  }
  for (const [folder, files] of folders) {
    if (!files.some((each) => PICTURE.test(each.name))) left.push(...files.map((each) => each.name));
    else bundles.unshift({ from: folder || (files.length === 1 ? files[0]!.name : ''), files, pictures: true });
  }
  return { bundles, left };
}

/** Of a file input, which gives paths where a folder was chosen. */
export const foundIn = (files: Iterable<File>): Found[] =>
  [...files].map((file) => ({ path: (file.webkitRelativePath || file.name).split('/'), file }))
    .filter(({ path }) => !path.some((each) => each.startsWith('.')));

function filesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  return new Promise((resolve, reject) => {
    // It gives a hundred or so at a time, and none at the end.
    const more = () => reader.readEntries((some) => {
      all.push(...some);
      if (some.length === 0) resolve(all);
      else more();
    }, reject);
    more();
  });
}

async function walk(entry: FileSystemEntry, above: string[], found: Found[]): Promise<void> {
  if (entry.name.startsWith('.')) return;
  if (entry.isDirectory) {
    for (const each of await filesIn(entry as FileSystemDirectoryEntry)) await walk(each, [...above, entry.name], found);
    return;
  }
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  found.push({ path: [...above, entry.name], file });
}

/** All files that were dropped, also those in folders and the folders below them; hidden ones stay behind. */
export async function foundOf(dropped: DataTransfer | null): Promise<Found[]> {
  // The entries have to be taken before anything is waited for: after that the browser has forgotten them.
  const entries = [...(dropped?.items ?? [])].map((each) => each.webkitGetAsEntry()).filter((each) => each !== null);
  if (entries.length === 0) return foundIn(dropped?.files ?? []);
  const found: Found[] = [];
  for (const each of entries) await walk(each, [], found);
  return found;
}
