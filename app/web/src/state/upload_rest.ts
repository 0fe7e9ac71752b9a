import type { NamedFile } from '../views/library/dropped_files';

/** Takes out what has arrived already, by name and length. */
export function missingOf(files: NamedFile[], here: { name: string; bytes: number }[]): NamedFile[] {
  const known = new Map(here.map((each) => [each.name, each.bytes]));
  return files.filter((each) => known.get(each.name) !== each.file.size);
}
