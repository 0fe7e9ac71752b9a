import type { Facets } from '../../api/types';
import { Panel } from '../../components/panel';
import { Loading } from '../../components/view';
import { count } from '../../format';
import { address, changed, replaceAddress, route, tagQuery } from '../../state/route';
import { t } from '../../words/say';
import { tokensOf, withoutToken, withToken } from '../../state/query_text';
import { Timeline } from './timeline';

interface Row {
  token: string;
  text: string;
  items: number;
}

function List(props: { title: string; rows: Row[]; active: string[] }) {
  const rows = props.rows.filter((each) => each.items > 0 || props.active.includes(each.token));
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map((each) => each.items), 1);
  return (
    <section>
      <h3>{props.title}</h3>
      <ul class="facet-list">
        {rows.map((each) => {
          const on = props.active.includes(each.token);
          const q = route.value.query.get('q') ?? '';
          return (
            <li key={each.token}>
              <button type="button" class="facet" aria-pressed={on}
                onClick={() => replaceAddress(changed({ q: on ? withoutToken(q, each.token) : withToken(q, each.token), at: undefined }))}>
                <span class="facet-bar" style={{ width: `${(100 * each.items) / most}%` }} aria-hidden="true" />
                <span dir="auto">{each.text}</span><span class="quiet">{count(each.items)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** What the results are of, with how many: each narrows them. */
export function FacetPanel(props: { facets: Facets | undefined; close: () => void }) {
  const { facets } = props;
  const active = tokensOf(route.value.query.get('q') ?? '');
  return (
    <Panel title={t('Filters')} close={props.close}>
      {!facets ? <Loading what={t('the counts')} /> : (
        <>
          <Timeline timeline={facets.timeline} />
          <List title={t('Tags')} active={active} rows={facets.tags.slice(0, 20).map((each) => ({ token: tagQuery(each.tag), text: each.tag, items: each.items }))} />
          <List title={t('State')} active={active} rows={[
            { token: 'is:untagged', text: t('Untagged'), items: facets.untagged },
            { token: 'is:automatic', text: t('Tagged automatically'), items: facets.automatic },
          ]} />
          <List title={t('Kind')} active={active} rows={[
            { token: 'is:picture', text: t('Pictures'), items: facets.kinds.picture },
            { token: 'is:text', text: t('Texts'), items: facets.kinds.text },
            { token: 'is:link', text: t('Links'), items: facets.kinds.link },
            { token: 'is:placed', text: t('With a place'), items: facets.placed },
          ]} />
          {facets.placed > 0 && (
            <p><a href={address('places', [], { q: route.value.query.get('q') ?? '', collection: facets.collections.map((each) => each.name) })}>{t('Show on the map')}</a></p>
          )}
          <List title={t('Year')} active={active} rows={[...facets.years].sort((a, b) => (a.year < b.year ? 1 : -1))
            .map((each) => ({ token: `in:${each.year}`, text: each.year, items: each.items }))} />
        </>
      )}
    </Panel>
  );
}
