import { readOnly } from '../state/library';
import { address, go } from '../state/route';

const DOES = {
  suggest: 'suggests tags', detect: 'can be taught what pictures show', relate: 'says what belongs together',
};

/** Says that nothing was learned yet that could answer here, with the way to learn it. */
export function NoModel(props: { kind: keyof typeof DOES; collection: string }) {
  const { kind, collection } = props;
  return (
    <>
      <p>{`Nothing learned from ${collection} ${DOES[kind]} yet.`}</p>
      {readOnly.value ? <p class="quiet">This library is read-only, so nothing can be learned from here.</p> : (
        <button type="button" onClick={() => go(address('library', [], { learn: `learn-${kind}`, collection }))}>
          {`Learn it from ${collection}`}
        </button>
      )}
    </>
  );
}
