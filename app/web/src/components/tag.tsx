import type { ComponentChildren } from 'preact';
import { tagSearchAddress } from '../state/route';
import { hueOf } from '../state/tag_colours';
import { t } from '../words/say';

interface Props {
  name: string;
  /** A machine gave it: dashed. */
  machine?: boolean;
  /** It was asked for. */
  lit?: boolean;
  tab?: number;
  /** Text where a link would be in the way. */
  plain?: boolean;
  /** In place of the whole name. */
  shown?: string;
  children?: ComponentChildren;
}

/** A tag in the colour of its root. */
export function Tag(props: Props) {
  const { name } = props;
  const shape = {
    class: `tag ${props.machine ? 'machine' : ''} ${props.lit ? 'lit' : ''}`, dir: 'auto' as const,
    style: { '--hue': String(hueOf(name)) }, title: props.machine ? t('Given by a machine') : undefined,
  };
  return props.plain ? <span {...shape}>{props.shown ?? name}{props.children}</span>
    : <a {...shape} tabIndex={props.tab} href={tagSearchAddress(name)}>{name}{props.children}</a>;
}
