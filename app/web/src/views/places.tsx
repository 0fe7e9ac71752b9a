import { View } from '../components/view';
import { t } from '../words/say';

export function PlacesView() {
  return <View title={t('Places')}><p /></View>;
}
