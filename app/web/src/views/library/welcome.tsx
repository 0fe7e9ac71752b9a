import { View } from '../../components/view';
import { readOnly } from '../../state/library';
import { JobList } from './library';
import { AddForm } from './add';

/** The first use: there is nothing to look at yet, so every tab leads here. */
export function WelcomeView() {
  return (
    <View title="Welcome" name="welcome">
      <p>
        This library is empty. Add a first collection (photographs, bookmarks, documents, a table): its items can be
        searched at once, and the tags that they have are what everything else is learned from.
      </p>
      {readOnly.value ? <p>It is read-only, so that is done on the command line with <code>commonplace add</code>.</p> : <AddForm />}
      <JobList />
    </View>
  );
}
