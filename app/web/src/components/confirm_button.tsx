import { confirm } from './confirm';

/** A button that asks before it does something. */
export function ConfirmButton(props: { text: string; action: string; disabled?: boolean; run: () => void }) {
  const ask = async () => {
    if (await confirm(props.text, props.action)) props.run();
  };
  return <button type="button" disabled={props.disabled} onClick={() => void ask()}>{props.action}</button>;
}
