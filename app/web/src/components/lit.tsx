import { isLit } from '../state/query_text';

/** The text with the words that were asked for lit up. */
export function Lit(props: { text: string; words: string[] }) {
  if (props.words.length === 0) return <>{props.text}</>;
  return (
    <>{props.text.split(/([\p{L}\p{N}]+)/u).map((part, index) => (index % 2 === 1 && isLit(part, props.words) ? <mark key={index}>{part}</mark> : part))}</>
  );
}
