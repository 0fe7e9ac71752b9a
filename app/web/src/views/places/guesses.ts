import * as api from '../../api/api';
import type { Brief } from '../../api/types';
import { collections, relatingModel } from '../../state/library';

/** Where an item may be from: half of such guesses are nearer than `radius` metres. */
export interface PlaceGuess {
  item: Brief;
  latitude: number;
  longitude: number;
  radius: number;
}

/** So many items are guessed at once, and so many questions are asked side by side. */
const MOST = 60;
const SIDE_BY_SIDE = 4;

/** The collections among these of which something is known about places. */
export const guessable = (wanted: string[]): string[] => collections.value
  .filter((each) => (wanted.length === 0 || wanted.includes(each.name)) && each.places && relatingModel(each.name)?.knows)
  .map((each) => each.name);

/** Guesses the places of what was found and has none. */
export async function guessPlaces(q: string, collection: string[], signal: AbortSignal): Promise<PlaceGuess[]> {
  const among = guessable(collection);
  if (among.length === 0) return [];
  const found = await api.search({ q: `${q} not is:placed`.trim(), collection: among, offset: 0, limit: MOST, words_only: true }, signal);
  const guesses: PlaceGuess[] = [];
  const left = [...found.hits];
  const work = async () => {
    for (let item = left.shift(); item; item = left.shift()) {
      const { guess } = await api.relate({ item: item.id, collection: item.collection, limit: 1, model: relatingModel(item.collection)!.name }, signal);
      if (guess) guesses.push({ item, ...guess });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return guesses;
}

/** How thick a cloud is so many times its radius from the middle: half of it lies within. */
export const thickness = (times: number) => 2 ** -(times * times);
