import { useRef } from 'preact/hooks';
import type { UpkeepStep } from '../api/types';
import { seconds } from '../format';
import { BEGIN, forwarded } from '../state/forward';
import { address } from '../state/route';
import { stepGives, stepTitle, upkeep, upkeepWork } from '../state/upkeep';
import { t } from '../words/say';
import { Icon } from './icon';
import { Said } from './view';

const MARKS: Record<UpkeepStep['state'], () => string> = {
  done: () => t('ready'), due: () => t('comes next'), waiting: () => t('waits'), away: () => t('its folder is away'),
};

function Step(props: { step: UpkeepStep; now: boolean }) {
  const { step, now } = props;
  return (
    <li class={`step step-${now ? 'now' : step.state}`}>
      <span class="step-mark" aria-hidden="true">{step.state === 'done' ? <Icon name="check" /> : null}</span>
      <span>{stepTitle(step.step)}</span>
      <span class="quiet">
        {now ? t('now') : step.state === 'done' ? stepGives(step.step) : MARKS[step.state]()}
        {step.state === 'waiting' && step.step === 'suggestions' ? `: ${t('tag some items first')}` : ''}
        {step.state === 'due' && step.seconds_left >= 1 ? `, ${t('about {time}', { time: seconds(step.seconds_left) })}` : ''}
      </span>
    </li>
  );
}

/** What is ready of every collection, and what comes next: it is done by itself. */
export function Ready(props: { collection?: string }) {
  const status = upkeep.value;
  const forward = useRef(BEGIN);
  if (!status) return null;
  const steps = status.steps.filter((each) => props.collection === undefined || each.collection === props.collection);
  const open = [...new Set(steps.map((each) => each.collection))];
  if (open.length === 0) return null;
  const working = status.working ? status.steps.find((each) => each.state === 'due') : undefined;
  if (status.total > 0) forward.current = forwarded(forward.current, status.stage, status.done / status.total);
  return (
    <section class="ready" aria-label={t('What is ready')}>
      {status.working && (
        <p class="ready-work">
          <progress aria-label={t('Progress')} value={status.total > 0 ? forward.current.share : undefined} max={1} />
          <span class="quiet" role="status">{status.seconds_left >= 1 ? t('about {time} left', { time: seconds(status.seconds_left) }) : ''}</span>
        </p>
      )}
      {!status.kept && !status.up_to_date && <p class="quiet">{t('This server was started so that it does nothing by itself.')}</p>}
      {status.problem && <Said saying={{ text: t('The last step did not work; it is tried again.'), detail: status.problem }} />}
      <div class="ready-lists">{open.map((name) => (
        <div key={name}>
          {props.collection === undefined && <h3 dir="auto">{name}</h3>}
          <ol class="steps">{steps.filter((each) => each.collection === name).map((each) => <Step key={each.step} step={each} now={each === working} />)}</ol>
        </div>
      ))}</div>
    </section>
  );
}

/** That something is being done, in a line; nothing where all is ready. */
export function ReadyLine() {
  const status = upkeep.value;
  const forward = useRef(BEGIN);
  if (!status?.working) return null;
  if (status.total > 0) forward.current = forwarded(forward.current, status.stage, status.done / status.total);
  return (
    <p class="ready-work">
      <a href={address('library')}>{upkeepWork(status).title}</a>
      <progress aria-label={t('Progress')} value={status.total > 0 ? forward.current.share : undefined} max={1} />
      <span class="quiet">{status.seconds_left >= 1 ? t('about {time} left', { time: seconds(status.seconds_left) }) : ''}</span>
    </p>
  );
}
