import type { ComponentChildren } from 'preact';
import type { Brief } from '../../api/types';
import { Icon } from '../../components/icon';
import { Lit } from '../../components/lit';
import { Thumbnail } from '../../components/picture';
import { Tag } from '../../components/tag';
import { hostOf, time, titleOf } from '../../format';
import { itemAddress } from '../../state/route';
import { t } from '../../words/say';
import { isLit } from '../../state/query_text';

interface Props {
  entry: Brief;
  tab: number;
  selected: boolean;
  /** The panel speaks of it. */
  chosen: boolean;
  actions: ComponentChildren;
}

function Check(props: { entry: Brief; tab: number; selected: boolean }) {
  return (
    <button type="button" class="check-round" tabIndex={props.tab} aria-pressed={props.selected}
      aria-label={t('Select {title}', { title: titleOf(props.entry) })}><Icon name="check" /></button>
  );
}

const classes = (props: Props, base: string) => `${base} ${props.selected ? 'selected' : ''} ${props.chosen ? 'chosen' : ''}`;

/** A picture as wide as its row has room for it. */
export function Tile(props: Props & { size: { width: number; height: number } }) {
  const { entry, tab, size } = props;
  const large = Math.max(size.width, size.height) * Math.min(2, devicePixelRatio) > 300;
  return (
    <div class={classes(props, 'tile')}>
      <a class="tile-link" data-focus tabIndex={tab} draggable={false} href={itemAddress(entry.collection, entry.id)}>
        <Thumbnail item={entry} alt="" size={large ? 512 : 256} />
        {entry.image && <span class="tile-title" dir="auto">{titleOf(entry)}</span>}
      </a>
      <Check entry={entry} tab={tab} selected={props.selected} />
      {props.actions}
    </div>
  );
}

/** A line of text: title, where it leads, a few words, tags. */
export function Line(props: Props & { words: string[] }) {
  const { entry, tab, words } = props;
  const title = titleOf(entry);
  return (
    <div class={classes(props, 'line')}>
      <Check entry={entry} tab={tab} selected={props.selected} />
      {entry.image && <span class="line-picture"><Thumbnail item={entry} alt="" size={128} /></span>}
      <span class="line-main">
        <span class="line-head">
          <a class="tile-link" data-focus tabIndex={tab} draggable={false} dir="auto" href={itemAddress(entry.collection, entry.id)}><Lit text={title} words={words} /></a>
          {entry.url && (
            <a class="line-url" tabIndex={tab} href={entry.url} target="_blank" rel="noopener noreferrer" title={entry.url}>
              {hostOf(entry.url)} <Icon name="open" /><span class="unseen">{t('opens in a new tab')}</span>
            </a>
          )}
        </span>
        {entry.snippet && entry.snippet !== title && <span class="line-text" dir="auto"><Lit text={entry.snippet} words={words} /></span>}
        <span class="line-tags">
          {entry.time && <span class="quiet">{time(entry.time).split(',')[0]}</span>}
          {entry.tags.slice(0, 8).map((each) => (
            <Tag key={each} name={each} lit={isLit(each, words)} tab={tab} />
          ))}
        </span>
      </span>
      {props.actions}
    </div>
  );
}
