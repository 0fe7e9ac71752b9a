/** What a collection could be called, by the file it comes from. */
export function nameFrom(file: string): string {
  const base = file.split(/[\\/]/).filter((each) => each !== '').pop() ?? '';
  return base.replace(/(\.(tar|csv|jsonl|json|html?|bib|svm|txt|zip|gz|bz2|xz|zst|tgz|npy|tsv))+$/i, '')
    .replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '').toLowerCase();
}
