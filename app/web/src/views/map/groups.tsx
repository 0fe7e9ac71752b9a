import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import * as api from '../../api/api';
import type { Group } from '../../api/types';
import { useAnswer } from '../../components/hooks';
import { Failure, Loading, Select } from '../../components/view';
import { count, counted } from '../../format';
import { itemAddress, tagSearchAddress } from '../../state/route';
import { kindOf } from './kinds';

function Nearest(props: { kind: string; name: string }) {
  const kind = kindOf(props.kind);
  const tail = props.name.replace(/^.*\/(?=.)/, '');
  if (kind.of === 'items') return <a href={itemAddress(kind.collection, props.name)} title={props.name}>{tail}</a>;
  if (kind.of === 'tags') return <a href={tagSearchAddress(props.name)}>{props.name}</a>;
  return <span>{props.name}</span>;
}

function GroupItem({ group }: { group: Group }) {
  return (
    <li>
      <strong>{counted(group.things, 'thing')}</strong>
      <dl class="group-kinds">
        {group.kinds.filter((each) => each.things > 0).map((each) => (
          <div key={each.kind}>
            <dt class="quiet">{`${kindOf(each.kind).text}, ${count(each.things)}`}</dt>
            <dd>{each.nearest.map((name, index) => <Fragment key={name}>{index > 0 ? ', ' : ''}<Nearest kind={each.kind} name={name} /></Fragment>)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

/** Everything in groups, drawn or not: what of every kind is nearest to the middle of each. */
export function GroupsByKind(props: { model: string }) {
  const [open, setOpen] = useState(false);
  const [k, setK] = useState('10');
  const answer = useAnswer(() => (open ? api.groups(Number(k), 6, props.model) : undefined), [open, k, props.model]);
  return (
    <details class="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><h2 class="in-line">Groups of everything, by kind</h2></summary>
      <Select label="Number of groups" value={k} options={['5', '10', '20', '50']} changed={setK} />
      {open && answer.loading && <Loading what="the groups" />}
      {answer.error !== undefined && <Failure error={answer.error} again={answer.again} />}
      <ol class="kind-groups">{answer.value?.groups.map((each, index) => <GroupItem key={index} group={each} />)}</ol>
    </details>
  );
}
