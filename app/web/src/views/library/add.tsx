import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { Field, Select } from '../../components/view';
import { counted, percent } from '../../format';
import { announce, messageOf, report } from '../../state/alerts';
import { start } from '../../state/job_list';
import { library } from '../../state/library';
import { nameFrom } from './collection_name';
import { filesOf, withNames, type Dropped, type NamedFile } from './dropped_files';

/** The formats that have to be named where they are not recognised; the server says if it knows one. */
const FORMATS = [
  { value: '', text: 'Recognise it' }, { value: 'jsonl', text: 'JSON lines' }, { value: 'csv', text: 'CSV' },
  { value: 'tsv', text: 'TSV' }, { value: 'xc', text: 'Extreme classification' }, { value: 'svmlight', text: 'SVMlight' },
  { value: 'bookmarks', text: 'Browser bookmarks' }, { value: 'pinboard', text: 'Pinboard' },
  { value: 'bibtex', text: 'BibTeX' }, { value: 'photos', text: 'Photographs' },
];

export function AddForm() {
  const about = library.value;
  const [name, setName] = useState('');
  const [path, setPath] = useState('');
  const [format, setFormat] = useState('');
  const [files, setFiles] = useState<NamedFile[]>([]);
  const [sent, setSent] = useState<number>();
  const [round, setRound] = useState(0);
  const [over, setOver] = useState(false);
  const take = ({ files: all, folder }: Dropped) => {
    setFiles(all);
    if (folder && all.length === 0) report(new Error(`There are no files in ${folder}.`));
    const from = folder || (all.length === 1 ? all[0]!.name : '');
    if (from && !name) setName(nameFrom(from));
  };
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    try {
      take(await filesOf(event.dataTransfer));
    } catch (error) {
      report(new Error(`What was dropped cannot be read: ${messageOf(error)}`));
    }
  };
  const send = async (): Promise<string> => {
    const bytes = files.reduce((sum, each) => sum + each.file.size, 0);
    let upload = '';
    let before = 0;
    for (const each of files) {
      const share = (part: number) => setSent(bytes > 0 ? (before + part * each.file.size) / bytes : 1);
      upload = (await api.upload(each.file, each.name, upload, share)).upload;
      before += each.file.size;
    }
    announce(`${counted(files.length, 'file')} sent.`);
    return upload;
  };
  const add = async (event: Event) => {
    event.preventDefault();
    const collection = name.trim();
    const more = format ? { format } : {};
    try {
      if (files.length > 0) {
        setSent(0);
        const upload = await send();
        if (!(await start({ task: 'add', collection, upload, ...more }))) return;
      } else {
        if (!(await start({ task: 'add', collection, path: path.trim(), ...more }))) return;
      }
      setFiles([]);
      setName('');
      setPath('');
      setRound(round + 1);
    } catch (error) {
      report(error);
    } finally {
      setSent(undefined);
    }
  };
  const ready = name.trim() !== '' && (files.length > 0 || path.trim() !== '') && sent === undefined;
  if (!about?.upload && !about?.import) {
    return (
      <section class="card"><h2>Add a collection</h2>
        <p>This server takes nothing in. On the command line it is <code>commonplace add</code>.</p></section>
    );
  }
  return (
    <section class="card">
      <h2>Add a collection</h2>
      <form onSubmit={(event) => void add(event)}>
        {about.upload && (
          <div class={`drop ${over ? 'over' : ''}`}
            onDragOver={(event) => { event.preventDefault(); setOver(true); }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => void drop(event)}>
            <label class="field">
              <span class="field-label">A file or several pictures, chosen here or dropped on this box; a folder can be dropped too</span>
              <input key={round} type="file" multiple onChange={(event) => take({
                files: withNames([...(event.currentTarget.files ?? [])].map((file) => ({ path: [file.name], file }))), folder: '' })} />
            </label>
            {files.length > 0 && (
              <p>{`${files.length === 1 ? files[0]!.name : counted(files.length, 'file')} ready to be sent.`}</p>
            )}
          </div>
        )}
        {about.import && (
          <Field label={about.upload ? 'Or a path on the server' : 'A path on the server'}>
            <input type="text" value={path} disabled={files.length > 0}
              onInput={(event) => setPath(event.currentTarget.value)}
              onChange={() => { if (!name) setName(nameFrom(path)); }} />
          </Field>
        )}
        <div class="row">
          <Field label="Name of the collection">
            <input type="text" value={name} required onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <Select label="Format" value={format} options={FORMATS} changed={setFormat} />
        </div>
        {sent !== undefined && (
          <p role="status"><progress aria-label="Sending" value={sent} max={1} />{` ${percent(sent)} sent`}</p>
        )}
        <button type="submit" class="primary" disabled={!ready}>Add</button>
      </form>
    </section>
  );
}
