import { useEffect, useRef, useState } from 'preact/hooks';
import { Box } from './components/box';
import { ConfirmDialog } from './components/confirm';
import { Icon } from './components/icon';
import { Sendings } from './components/sendings';
import { Alerts, RunningJob, TokenDialog } from './components/shell';
import { ToastLine } from './components/toast';
import { View } from './components/view';
import { isEmpty, library, loadingError, loadLibrary, readOnly } from './state/library';
import { address, route } from './state/route';
import { isDark, switchTheme, theme } from './state/theme';
import { CleanupView } from './views/cleanup/cleanup';
import { HomeView } from './views/home/home';
import { ItemView } from './views/item/item';
import { DropAnywhere } from './views/library/add';
import { LibraryView } from './views/library/library';
import { MapView } from './views/map/map';
import { PlacesView } from './views/places/places';
import { QualityView } from './views/quality/quality';
import { ReviewView } from './views/review/review';
import { SearchView } from './views/search/search';
import { TagsView } from './views/tags/tags';
import { TeachView } from './views/teach/teach';
import { TransferView } from './views/transfer/transfer';
import { WelcomeView } from './views/library/welcome';
import { language, t } from './words/say';

interface Tab {
  name: string;
  text: string;
  icon: string;
  /** In the bar of a phone, of a wide window, or behind "More" in both. */
  where: 'always' | 'wide' | 'more';
}

const tabs = (): Tab[] => [
  { name: 'home', text: t('Home'), icon: 'home', where: 'always' },
  { name: 'search', text: t('Search'), icon: 'search', where: 'always' },
  { name: 'review', text: t('Review'), icon: 'check', where: 'always' },
  { name: 'cleanup', text: t('Clean up'), icon: 'like', where: 'always' },
  { name: 'tags', text: t('Tags'), icon: 'tag', where: 'wide' },
  { name: 'teach', text: t('Teach'), icon: 'plus', where: 'wide' },
  { name: 'places', text: t('Places'), icon: 'pin', where: 'wide' },
  { name: 'map', text: t('Map'), icon: 'grid', where: 'wide' },
  { name: 'transfer', text: t('Transfer'), icon: 'right', where: 'more' },
  { name: 'quality', text: t('Quality'), icon: 'why', where: 'more' },
  { name: 'library', text: t('Library'), icon: 'list', where: 'more' },
];

function TabLink({ tab, current }: { tab: Tab; current: string }) {
  return (
    <li class={`tab tab-${tab.where}`}>
      <a href={address(tab.name)} aria-current={tab.name === current ? 'page' : undefined}><Icon name={tab.icon} /><span>{tab.text}</span></a>
    </li>
  );
}

/** The rest of the views, opened as a menu or, on a phone, as a sheet. */
function More({ current }: { current: string }) {
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLLIElement>(null);
  const dark = theme.value && isDark();
  useEffect(() => setOpen(false), [route.value]);
  useEffect(() => {
    if (!open) return undefined;
    const away = (event: Event) => { if (!place.current?.contains(event.target as Node)) setOpen(false); };
    addEventListener('pointerdown', away);
    return () => removeEventListener('pointerdown', away);
  }, [open]);
  const inside = tabs().filter((each) => each.where !== 'always');
  return (
    <li ref={place} class="tab tab-more-menu" onKeyDown={(event) => { if (event.key === 'Escape' && open) { setOpen(false); place.current?.querySelector('button')?.focus(); } }}>
      <button type="button" aria-expanded={open} class={inside.some((each) => each.where === 'more' && each.name === current) ? 'current' : ''} onClick={() => setOpen(!open)}>
        <Icon name="more" /><span>{t('More')}</span>
      </button>
      {open && (
        <ul class="more-menu">
          {inside.map((each) => <TabLink key={each.name} tab={each} current={current} />)}
          <li><button type="button" class="theme" onClick={switchTheme}><Icon name={dark ? 'sun' : 'moon'} /><span>{dark ? t('Light colours') : t('Dark colours')}</span></button></li>
        </ul>
      )}
    </li>
  );
}

function Header() {
  const view = route.value.view;
  return (
    <header class="header">
      <a class="brand" href={address('home')} dir="auto">{library.value?.name ?? 'Commonplace'}</a>
      {library.value && !isEmpty.value && <Box />}
      <nav aria-label={t('Views')}>
        <ul>
          {tabs().filter((each) => each.where !== 'more').map((each) => <TabLink key={each.name} tab={each} current={view} />)}
          <More current={view} />
        </ul>
      </nav>
    </header>
  );
}

function Current() {
  const { view, parts } = route.value;
  if (loadingError.value && !library.value) {
    return (
      <View title={t('The library could not be read')} name="error">
        <p>{loadingError.value}</p>
        <button type="button" class="primary" onClick={() => void loadLibrary()}>{t('Try again')}</button>
      </View>
    );
  }
  if (!library.value) return <p class="view quiet loading" role="status">{t('Opening the library …')}</p>;
  if (isEmpty.value) return <WelcomeView />;
  switch (view) {
    case 'home': return <HomeView />;
    case 'search': return <SearchView />;
    case 'item': return <ItemView key={parts.join('/')} collection={parts[0] ?? ''} id={parts[1] ?? ''} />;
    case 'review': return <ReviewView />;
    case 'cleanup': return <CleanupView />;
    case 'tags': return <TagsView />;
    case 'teach': return <TeachView />;
    case 'places': return <PlacesView />;
    case 'map': return <MapView />;
    case 'transfer': return <TransferView />;
    case 'quality': return <QualityView />;
    case 'library': return <LibraryView />;
    default:
      return (
        <View title={t('There is no such view')} name={view}>
          <p>{t('The address names a view that this page does not have.')} <a href={address('search')}>{t('Go to the search.')}</a></p>
        </View>
      );
  }
}

/** Views that have a form for what is dropped. */
const WITH_FORM = ['home', 'library'];

export function App() {
  const about = library.value;
  void language.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        // The address is taken by the views, so the link moves the focus itself.
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}>{t('Skip to the content')}</a>
      <Header />
      <Alerts />
      <main id="main" tabIndex={-1}><Current /></main>
      <footer class="footer">
        <Sendings />
        <RunningJob />
        {about && (readOnly.value || route.value.view === 'library') && (
          <p>
            {`Commonplace ${about.version}. `}
            {readOnly.value ? t('This library is read-only: nothing can be changed from here.') : ''}
          </p>
        )}
      </footer>
      <ToastLine />
      <DropAnywhere form={isEmpty.value || WITH_FORM.includes(route.value.view)} />
      <TokenDialog />
      <ConfirmDialog />
    </>
  );
}
