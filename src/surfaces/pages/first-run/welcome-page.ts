import { firstSteps } from '../../../kernel/declare/core-settings.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { progress } from '../design/progress.ts';
import { table } from '../design/table.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { demoPeople } from './demo-people.ts';
import { setUpSteps, type SetUpStep } from './set-up.ts';
import { trials } from './trials.ts';

const PATH = '/welcome';

/** How far the demo is loaded. */
interface Demo {
  readonly cases: number;
  readonly loaded: number;
  readonly isComplete: boolean;
  readonly failure: string | null;
}

/** Shows who can sign in to the demo, what is there and what to try, and the steps of setting up an installation. */
export const welcomePage = page(welcome);

/** Leaves the first steps out of the home page from now on. */
export const hideWelcome = page(async (call): Promise<PageAnswer> => {
  await call.call('setting/save', { Setting: 'FirstSteps', Value: 'Hidden' });
  return { redirectTo: '/' };
});

async function welcome(call: PageCall): Promise<PageAnswer> {
  const [demo, steps] = await Promise.all([readDemo(call), setUpSteps(call)]);
  return {
    title: 'First steps',
    place: 'home',
    crumbs: [{ text: 'Home', href: '/' }, { text: 'First steps' }],
    body: html`<div class="page first-run"><h1>First steps</h1>
${demo.cases > 0 && demoParts(demo)}
${setUpCard(call, steps, demo)}
${demo.cases === 0 && steps.length === 0 && nothingLeft}</div>`,
  };
}

const nothingLeft = html`<p>Nothing is left for you to set up. <a href="/work">Open my work</a>.</p>`;

async function readDemo(call: PageCall): Promise<Demo> {
  const { answer } = await call.call('system/demo', {});
  const { Cases: cases, Played: loaded, FinishedDate: finished, Failure: failure } = answer.row;
  return { cases, loaded, isComplete: finished !== null, failure };
}

function demoParts(demo: Demo): Markup {
  return html`<p class="soft">This is a demo: an office that has serviced foreclosures and bankruptcies for two years.
Nobody in it is real.</p>
${!demo.isComplete && loadingBanner(demo)}
${peopleCard()}
${card({ id: 'trials', title: 'Five things to try', body: trialList() })}`;
}

function loadingBanner({ cases, loaded, failure }: Demo): Markup {
  if (failure !== null)
    return banner({
      tone: 'warn',
      text: html`${loaded} of ${cases} cases are here. Loading stopped: ${failure}`,
      more: html`<p>Nothing is broken. The next start of the server continues.</p>`,
    });
  return banner({
    tone: 'info',
    role: 'status',
    text: progress(loaded, cases, html`${loaded} of ${cases} cases are loaded`),
    more: html`<p>You can look around meanwhile.</p>`,
    actions: buttonLink({ text: 'Look again', href: PATH }),
  });
}

function peopleCard(): Markup {
  const body = table({
    label: 'Users of the demo',
    className: 'wrap',
    heads: ['Name', 'Job, and what they see'],
    rows: demoPeople.map(
      ({ signIn, job, sees }) =>
        html`<tr><th scope="row" class="nowrap"><code>${signIn}</code></th>
<td><b>${job}</b><br><span class="soft">${sees}</span></td></tr>`,
    ),
  });
  return card({ id: 'people', title: 'Who can sign in', note: 'The first start printed the passwords, once', body });
}

function trialList(): Markup {
  return html`<ol class="first-steps">${trials.map(
    ({ text, more, href }) => html`<li><a class="link" href="${href}">${text}</a><p class="soft">${more}</p></li>\n`,
  )}</ol>`;
}

function setUpCard(call: PageCall, steps: readonly SetUpStep[], demo: Demo): Markup | false {
  if (steps.length === 0) return false;
  const done = steps.filter(({ isDone }) => isDone).length;
  const intro =
    demo.cases > 0 &&
    html`<p>To leave the demo, stop the server, delete its data folder, and start it with <code>--no-demo</code>.
Then take these steps. What the demo has counts here, too.</p>`;
  return card({
    id: 'set-up',
    title: 'Begin for real',
    note: progress(done, steps.length, `${done} of ${steps.length} done`),
    body: html`<div class="card-body">${intro}<ul class="first-steps">${steps.map(stepLine)}</ul>
${call.may('setting/save') && hideForm(call)}</div>`,
  });
}

function stepLine({ text, help, href, count, isDone }: SetUpStep): Markup {
  const state = isDone ? html`${icon('check')}<span class="hidden">Done: </span>` : html`${icon('minus')}`;
  const counted = isDone && html` <span class="muted">${count}</span>`;
  return html`<li class="${isDone ? 'done' : 'open'}">${state}<div><a class="link" href="${href}">${text}</a>${counted}
<p class="soft">${help}</p></div></li>\n`;
}

function hideForm(call: PageCall): Markup {
  return html`<form method="post" action="${PATH}/hide">${csrfField(call)}${button({ text: 'Hide from home' })}</form>`;
}

/** Leads administrators from the home page to the first steps, until one of them hides them. */
export function welcomeNote(call: PageCall): Markup | false {
  if (!hasFirstSteps(call) || !call.may('setting/save')) return false;
  return banner({
    tone: 'info',
    text: 'New here? See who can sign in, what to try, and how to begin for real.',
    actions: html`${buttonLink({ text: 'First steps', href: PATH })}`,
  });
}

/** Whether the user is led to the first steps: everybody in the demo, otherwise who sets up the installation. */
export function hasFirstSteps(call: PageCall): boolean {
  const shown = call.platform.settings.get(firstSteps);
  return shown === 'Demo' || (shown === 'SetUp' && call.may('setting/save'));
}
