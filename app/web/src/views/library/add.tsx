import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon';
import { Field, Select } from '../../components/view';
import { alertOf, report } from '../../state/alerts';
import { start } from '../../state/job_list';
import { collections, library, readOnly } from '../../state/library';
import { dismissInterrupted, resumable, sendFiles } from '../../state/uploads';
import { watchUpkeep } from '../../state/upkeep';
import { t, tn } from '../../words/say';
import { nameFrom } from './collection_name';
import { bundled, foundIn, foundOf, type Bundle, type Found } from './dropped_files';

/** The formats that have to be named where they are not recognised; the server says if it knows one. */
const FORMATS = () => [
  { value: '', text: t('Recognise it') }, { value: 'jsonl', text: 'JSON lines' }, { value: 'csv', text: 'CSV' },
  { value: 'tsv', text: 'TSV' }, { value: 'xc', text: 'Extreme classification' }, { value: 'svmlight', text: 'SVMlight' },
  { value: 'bookmarks', text: t('Bookmarks (HTML)') }, { value: 'pinboard', text: 'Pinboard' },
  { value: 'bibtex', text: 'BibTeX' }, { value: 'photos', text: t('Photographs') },
];

interface Chosen extends Bundle {
  name: string;
}

/** What was chosen or dropped, before it is sent. */
const chosen = signal<Chosen[]>([]);

/** A name that the files suggest; where there is none, what no collection is called yet. */
function nameOf(bundle: Bundle): string {
  const name = nameFrom(bundle.from);
  if (name) return name;
  const taken = new Set(collections.value.map((each) => each.name));
  for (let i = 1; ; ++i) {
    const free = i === 1 ? 'pictures' : `pictures-${i}`;
    if (!taken.has(free)) return free;
  }
}

function take(found: Found[]): void {
  const { bundles, left } = bundled(found);
  chosen.value = bundles.map((each) => ({ ...each, name: nameOf(each) }));
  if (bundles.length === 0) {
    alertOf({ text: t('There is nothing in it that can be added: pictures, tables, bookmarks, or texts.'), detail: left.slice(0, 20).join(', ') || undefined });
  } else if (left.length > 0) {
    alertOf({ text: tn('{n} file stays behind: nothing can be made of it.', '{n} files stay behind: nothing can be made of them.', left.length), detail: left.slice(0, 20).join(', ') });
  }
}

async function takeDropped(dropped: DataTransfer | null): Promise<void> {
  try {
    take(await foundOf(dropped));
  } catch {
    report(new Error(t('What was dropped cannot be read. Try to choose the folder.')));
  }
}

/** What is about to be added, under which names. */
function ChosenFiles(props: { format: string; done: () => void }) {
  const send = (event: Event) => {
    event.preventDefault();
    for (const each of chosen.value) sendFiles(each.name.trim(), each.files, props.format);
    chosen.value = [];
    props.done();
  };
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const said = (each: Chosen) => (each.pictures ? tn('{n} picture or file beside it', '{n} pictures and files beside them', each.files.length) : each.files[0]!.name);
  return (
    <form class="chosen" onSubmit={send}>
      {chosen.value.map((each, index) => (
        <Field key={each.from} label={t('{what}, as the collection', { what: said(each) })}
          hint={collections.value.some((known) => known.name === each.name.trim()) ? t('There is one of this name: they are added to it.') : undefined}>
          <input type="text" value={each.name} required dir="auto"
            onInput={(event) => { chosen.value = chosen.value.map((other, i) => (i === index ? { ...other, name: event.currentTarget.value } : other)); }} />
        </Field>
      ))}
      <div class="buttons">
        <button ref={first} type="submit" class="primary" disabled={chosen.value.some((each) => each.name.trim() === '')}>{t('Add')}</button>
        <button type="button" onClick={() => { chosen.value = []; props.done(); }}>{t('Leave it')}</button>
      </div>
    </form>
  );
}

/** A place to drop folders and files, with buttons for those who do not drag. */
export function AddForm() {
  const about = library.value;
  const [path, setPath] = useState('');
  const [name, setName] = useState('');
  const [format, setFormat] = useState('');
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  if (readOnly.value || (!about?.upload && !about?.import)) return <p class="quiet">{t('This library can be looked at here, and not changed.')}</p>;
  const addPath = (event: Event) => {
    event.preventDefault();
    void start({ task: 'add', collection: name.trim() || nameFrom(path), path: path.trim(), ...(format ? { format } : {}) }).then((job) => {
      if (job) { setPath(''); setName(''); watchUpkeep(); }
    });
  };
  const picked = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    take(foundIn(input.files ?? []));
    input.value = '';
  };
  return (
    <section class="add" aria-label={t('Add to the library')}>
      {about.upload && (
        <div class="drop">
          <Icon name="plus" />
          <p><strong>{t('Drop a folder anywhere')}</strong><br />
            <span class="quiet">{t('Pictures with their sub-folders, bookmarks, tables, texts. All else happens by itself.')}</span></p>
          <div class="buttons">
            <button type="button" class="primary" onClick={() => folder.current?.click()}>{t('Choose a folder')}</button>
            <button type="button" onClick={() => files.current?.click()}>{t('Choose files')}</button>
          </div>
          <input ref={folder} type="file" multiple hidden data-kind="folder" aria-label={t('Choose a folder')} onChange={picked} {...{ webkitdirectory: true }} />
          <input ref={files} type="file" multiple hidden data-kind="files" aria-label={t('Choose files')} onChange={picked} />
          {resumable().map((each) => (
            <p key={each.upload} class="note">
              {t('The sending of {n} files to “{collection}” was interrupted. Choose or drop the same again: it goes on where it stopped.', { n: each.files, collection: each.collection })}{' '}
              <button type="button" class="small" onClick={() => dismissInterrupted(each.upload)}>{t('Forget it')}</button>
            </p>
          ))}
        </div>
      )}
      <details>
        <summary>{t('Advanced')}</summary>
        <Select label={t('Format')} value={format} options={FORMATS()} changed={setFormat} />
        {about.import && (
          <form onSubmit={addPath}>
            <Field label={t('A path on the server')}>
              <input type="text" value={path} onInput={(event) => setPath(event.currentTarget.value)} onChange={() => { if (!name) setName(nameFrom(path)); }} />
            </Field>
            <Field label={t('Name of the collection')}>
              <input type="text" value={name} dir="auto" onInput={(event) => setName(event.currentTarget.value)} />
            </Field>
            <button type="submit" disabled={path.trim() === ''}>{t('Add')}</button>
          </form>
        )}
      </details>
      <ChosenDialog format={format} />
    </section>
  );
}

function ChosenDialog(props: { format: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = chosen.value.length > 0;
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
  }, [open]);
  if (!open) return null;
  return (
    <dialog ref={dialog} class="chosen-dialog" aria-labelledby="chosen-title" onCancel={() => { chosen.value = []; }}>
      <h2 id="chosen-title">{t('Add to the library')}</h2>
      <ChosenFiles format={props.format} done={() => dialog.current?.close()} />
    </dialog>
  );
}

/** Folders and files can be dropped wherever one is. */
export function DropAnywhere(props: { /** A form is there that shows what was dropped. */ form: boolean }) {
  const [over, setOver] = useState(false);
  const able = (library.value?.upload ?? false) && !readOnly.value;
  useEffect(() => {
    if (!able) return undefined;
    let depth = 0;
    const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => { if (files(event)) { depth += 1; setOver(true); event.preventDefault(); } };
    const leave = (event: DragEvent) => { if (files(event) && --depth <= 0) { depth = 0; setOver(false); } };
    const move = (event: DragEvent) => { if (files(event)) event.preventDefault(); };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      // The box takes a picture to look for.
      if (!files(event) || event.defaultPrevented) return;
      event.preventDefault();
      void takeDropped(event.dataTransfer);
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', move);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', move);
      removeEventListener('drop', drop);
    };
  }, [able]);
  return (
    <>
      {over && <div class="drop-veil"><p>{t('Let go to add it to the library')}<br /><span class="quiet">{t('A picture let go on the box above is looked for')}</span></p></div>}
      {!props.form && <ChosenDialog format="" />}
    </>
  );
}
