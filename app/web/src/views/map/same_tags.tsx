import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import { useAnswer } from '../../components/hooks';
import { Failure, Loading } from '../../components/view';
import { count } from '../../format';
import { tagSearchAddress } from '../../state/route';

/** Tags that are used alike: candidates to be merged, above all if they hardly ever stand together. */
export function SameTags(props: { model: string }) {
  const [open, setOpen] = useState(false);
  const answer = useAnswer(() => (open ? api.sameTags(20, props.model) : undefined), [open, props.model]);
  return (
    <details class="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><h2 class="in-line">Tags that may mean the same</h2></summary>
      {open && answer.loading && <Loading what="pairs of tags" />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      {answer.value?.pairs.length === 0 && <p>There are none.</p>}
      <ul class="plain">
        {answer.value?.pairs.map((each) => (
          <li key={`${each.kind}/${each.first}/${each.second}`}>
            <a href={tagSearchAddress(each.first)}>{each.first}</a>{` (${count(each.first_items)}) and `}
            <a href={tagSearchAddress(each.second)}>{each.second}</a>
            {` (${count(each.second_items)}), ${count(each.together)} together`}
          </li>
        ))}
      </ul>
    </details>
  );
}
