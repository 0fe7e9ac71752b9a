import * as api from '../api/api';
import { count } from '../format';
import type { Choice } from './combobox';

export async function tagChoices(text: string, signal: AbortSignal): Promise<Choice[]> {
  const asked = text.trim();
  if (!asked) return [];
  const answer = await api.complete(asked, 10, signal);
  return answer.completions.map((each) => ({ text: each.tag, detail: count(each.items) }));
}
