import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { emptyState, failedPart } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { administrationPages } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';
import { placeOfCheck } from './health.ts';

/** Something that an administrator should look at. */
interface Attention {
  readonly state: 'failed' | 'warning';
  readonly title: string;
  readonly detail: string;
  readonly advice?: string | undefined;
  readonly href: string;
  readonly link: string;
}

/** Refused sign-ins of a day that are worth a look. */
const REFUSED_SIGN_INS_MIN = 10;
const DAY_MILLISECONDS = 86_400_000;

/** Shows what needs attention first, then the pages for administrators. @throws NO_PERMISSION where there are none */
export const administrationPage = page(async (call) => {
  const shown = administrationPages.filter(({ needs }) => call.may(needs));
  if (shown.length === 0) throw new PlatformError('NO_PERMISSION');
  const attention = await attentionCard(call);
  return administrationAnswer(call, {
    title: 'Administration',
    path: '/administration',
    body: html`${attention}
<nav class="admin-grid" aria-label="Pages for administrators">${shown.map(
      ({ path, name, doc }) =>
        html`<a href="${path}"><span class="strong">${name}</span><span class="soft small">${doc}</span></a>\n`,
    )}</nav>`,
  });
});

async function attentionCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('system/health') || !call.user.universal) return false;
  try {
    const [health, signIns] = await Promise.all([call.call('system/health', {}), refusedSignIns(call)]);
    const found = [...health.answer.rows.flatMap(attentionOf), ...signIns];
    const failedFirst = found.toSorted((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'));
    return card({
      id: 'attention',
      title: 'Needs attention',
      body:
        found.length === 0
          ? emptyState({
              title: 'Nothing needs attention.',
              text: 'All health checks are passed, and no call waits for a decision.',
              icon: 'check',
            })
          : html`<ul class="attention">${failedFirst.map(attentionLine)}</ul>`,
    });
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) throw error;
    return failedPart('What needs attention', '/administration');
  }
}

function attentionOf(check: AnswerRowFor<'system/health'>): readonly Attention[] {
  const { Health: title, State: state, Detail: detail, Advice: advice, MutedUntil: muted } = check;
  if (state === 'ok' || muted !== null) return [];
  const [href, link] = placeOfCheck(title);
  return [{ state, title, detail, advice: advice ?? undefined, href, link }];
}

/** Returns a line if unusually many sign-ins were refused during the last day. */
async function refusedSignIns(call: PageCall): Promise<readonly Attention[]> {
  if (!call.may('securitylog/search')) return [];
  const since = new Date(call.platform.clock.milliseconds() - DAY_MILLISECONDS).toISOString();
  const { answer } = await call.call('securitylog/search', {
    SecurityLog: 'SignInRefused',
    CreatedDate: `>=${since}`,
    DisplaySize: 1,
  });
  const { count } = rowsOf(answer);
  if (count < REFUSED_SIGN_INS_MIN) return [];
  return [
    {
      state: 'warning',
      title: 'Refused sign-ins',
      detail: `${count} sign-ins were refused during the last day.`,
      advice: 'Look for one address or one name that is tried again and again.',
      href: '/administration/security?Event=SignInRefused',
      link: 'Open security log',
    },
  ];
}

function attentionLine({ state, title, detail, advice, href, link }: Attention): Markup {
  return html`<li class="${state}">${icon(state === 'failed' ? 'error' : 'warning')}
<div><p><span class="strong">${title}</span><span class="hidden">: ${state}.</span> ${detail}</p>
${advice !== undefined && html`<p class="soft">${advice}</p>`}</div>
<a class="link" href="${href}">${link}</a></li>\n`;
}
