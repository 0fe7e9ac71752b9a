import { Box } from './components/box';
import { ConfirmDialog } from './components/confirm';
import { Icon } from './components/icon';
import { Alerts, RunningJob, TokenDialog } from './components/shell';
import { ToastLine } from './components/toast';
import { View } from './components/view';
import { counted } from './format';
import { isEmpty, library, loadingError, loadLibrary, readOnly } from './state/library';
import { address, route } from './state/route';
import { isDark, switchTheme, theme } from './state/theme';
import { ItemView } from './views/item/item';
import { LibraryView } from './views/library/library';
import { MapView } from './views/map/map';
import { PlacesView } from './views/places/places';
import { QualityView } from './views/quality/quality';
import { ReviewView } from './views/review/review';
import { SearchView } from './views/search/search';
import { TeachView } from './views/teach/teach';
import { TransferView } from './views/transfer/transfer';
import { WelcomeView } from './views/library/welcome';
import { language, t } from './words/say';

const tabs = (): [string, string][] => [
  ['search', t('Search')], ['review', t('Review')], ['teach', t('Teach')], ['places', t('Places')], ['map', t('Map')],
  ['transfer', t('Transfer')], ['quality', t('Quality')], ['library', t('Library')],
];

function Header() {
  const view = route.value.view;
  const dark = theme.value && isDark();
  return (
    <header class="header">
      <a class="brand" href={address('search')} dir="auto">{library.value?.name ?? 'Commonplace'}</a>
      {library.value && !isEmpty.value && <Box />}
      <nav aria-label={t('Views')}>
        <ul>
          {tabs().map(([name, text]) => (
            <li key={name}>
              <a href={address(name)} aria-current={name === view ? 'page' : undefined}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
      <button type="button" class="round theme" onClick={switchTheme}
        aria-label={dark ? t('Light colours') : t('Dark colours')}><Icon name={dark ? 'sun' : 'moon'} /></button>
    </header>
  );
}

function Current() {
  const { view, parts } = route.value;
  if (loadingError.value && !library.value) {
    return (
      <View title="The library could not be read" name="error">
        <p>{loadingError.value}</p>
        <button type="button" class="primary" onClick={() => void loadLibrary()}>Try again</button>
      </View>
    );
  }
  if (!library.value) return <p class="view quiet" role="status">Opening the library …</p>;
  if (isEmpty.value) return <WelcomeView />;
  switch (view) {
    case 'search': return <SearchView />;
    case 'item': return <ItemView key={parts.join('/')} collection={parts[0] ?? ''} id={parts[1] ?? ''} />;
    case 'review': return <ReviewView />;
    case 'teach': return <TeachView />;
    case 'places': return <PlacesView />;
    case 'map': return <MapView />;
    case 'transfer': return <TransferView />;
    case 'quality': return <QualityView />;
    case 'library': return <LibraryView />;
    default:
      return (
        <View title="There is no such view" name={view}>
          <p>The address names a view that this page does not have. <a href={address('search')}>Go to the search.</a></p>
        </View>
      );
  }
}

export function App() {
  const about = library.value;
  void language.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        // The address is taken by the views, so the link moves the focus itself.
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}>Skip to the content</a>
      <Header />
      <Alerts />
      <main id="main" tabIndex={-1}><Current /></main>
      <footer class="footer">
        <RunningJob />
        {about && (
          <p>
            {`Commonplace ${about.version}. ${counted(about.items, 'item')} in ${counted(about.collections, 'collection')}.`}
            {readOnly.value ? ' This library is read-only: nothing can be changed from here.' : ''}
          </p>
        )}
      </footer>
      <ToastLine />
      <TokenDialog />
      <ConfirmDialog />
    </>
  );
}
