import { View } from '../../components/view';
import { t } from '../../words/say';
import { AddForm } from './add';
import { JobList } from './library';

/** The first use: there is nothing to look at yet, so every tab leads here. */
export function WelcomeView() {
  return (
    <View title={t('Welcome')} name="welcome" class="welcome">
      <p>{t('Drop your pictures, bookmarks or documents here. They can be searched at once; the tags that they have are what everything else is learned from.')}</p>
      <AddForm />
      <JobList />
    </View>
  );
}
