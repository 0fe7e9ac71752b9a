/** A file under the name that it is sent by. */
export interface NamedFile {
  name: string;
  file: File;
}

export interface Dropped {
  files: NamedFile[];
  /** The name of the folder, where there was one. */
  folder: string;
}

/** What is found in folders, with the path below them. */
export interface Found {
  path: string[];
  file: File;
}

/** By their own names, or where two are the same by their whole paths: the server keeps them in one folder. */
export function withNames(found: Found[]): NamedFile[] {
  const names = found.map((each) => each.path[each.path.length - 1]!);
  const unique = new Set(names).size === names.length;
  return found.map((each, index) => ({ name: unique ? names[index]! : each.path.join('_'), file: each.file }));
}

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
export async function filesOf(dropped: DataTransfer | null): Promise<Dropped> {
  // The entries have to be taken before anything is waited for: after that the browser has forgotten them.
  const entries = [...(dropped?.items ?? [])].map((each) => each.webkitGetAsEntry()).filter((each) => each !== null);
  if (entries.length === 0) return { files: withNames([...(dropped?.files ?? [])].map((file) => ({ path: [file.name], file }))), folder: '' };
  const found: Found[] = [];
  for (const each of entries) await walk(each, [], found);
  return { files: withNames(found), folder: entries.length === 1 && entries[0]!.isDirectory ? entries[0]!.name : '' };
}
