import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { hiddenField } from '../components.ts';
import type { Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { daysBetween, localDay, shortDay, today } from '../days.ts';
import { plural } from '../due-words.ts';
import { isOpen, type WorkflowRow } from './step-view.ts';
import { workflowName } from './workflow-section.ts';

/** A hold of a case or of one of its workflows. */
export type HoldRow = RowNamed<'DecisionDelay'>;

/** Characters of a reason that the banner shows. */
const REASON_CHARACTERS_MAX = 300;

/** Renders each open hold: what stops and what continues, since when, who placed it, and when it is reviewed. */
export function holdBanners(
  call: PageCall,
  holds: readonly HoldRow[],
  { workflows, labels }: { readonly workflows: readonly WorkflowRow[]; readonly labels: Labels },
): readonly Markup[] {
  return holds.map((hold) =>
    banner({
      tone: 'warn',
      icon: 'hold',
      text: html`<b>${stopped(hold, workflows)}</b> ${why(call, hold)} ${others(hold, workflows)}
${placed(call, hold, labels)}`,
      actions: call.may('decisiondelay/save') && holdActions(call, hold),
    }),
  );
}

function stopped({ DecisionID: id }: HoldRow, workflows: readonly WorkflowRow[]): Markup {
  const own = workflows.find(({ DecisionID }) => DecisionID === id);
  if (own) return html`<bdi>${workflowName(own)}</bdi> is on hold.`;
  const open = workflows.filter(isOpen);
  const held = open.filter((row) => row.Delayed === true);
  if (held.length === 0 || held.length === open.length) return html`The case is on hold.`;
  const names = held.map((row, at) => html`${at > 0 && ', '}<bdi>${workflowName(row)}</bdi>`);
  return html`${names} ${held.length === 1 ? 'is' : 'are'} on hold.`;
}

function why(call: PageCall, hold: HoldRow): Markup {
  const { DecisionDelay: name, ActualStart: start, CreatedDate: created, ReasonDetail: reason } = hold;
  const since = start ?? created;
  const days = daysBetween(localDay(call, since), today(call));
  const text = reason === null ? '' : reason.slice(0, REASON_CHARACTERS_MAX);
  return html`<bdi>${name}</bdi> since ${shortDay(call, since)}${days > 0 && `, ${plural(days, 'day')}`}.${
    text !== '' && html` <bdi>${text}</bdi>${!/[.!?…]$/.test(text) && '.'}`
  }`;
}

/** Names the workflows that continue. */
function others({ DecisionID: id }: HoldRow, workflows: readonly WorkflowRow[]): Markup | false {
  const going = workflows.filter((row) => isOpen(row) && row.Delayed !== true && row.DecisionID !== id);
  if (going.length === 0) return false;
  const names = going.map((row, at) => html`${at > 0 && ', '}<bdi>${workflowName(row)}</bdi>`);
  return html`${names} ${going.length === 1 ? 'continues' : 'continue'}.`;
}

function placed(call: PageCall, { CreatedPersonID, ProjectedCompletion: review }: HoldRow, labels: Labels): Markup {
  const name = CreatedPersonID === null ? undefined : labels.get('Person')?.get(CreatedPersonID);
  const who = name !== undefined && html`Placed by <bdi>${name}</bdi>; `;
  if (review === null) return html`${who}${name === undefined ? 'No' : 'no'} review date.`;
  const isPast = daysBetween(today(call), localDay(call, review)) < 0;
  const day = isPast ? html`<span class="late">${shortDay(call, review)}</span>` : shortDay(call, review);
  return html`${who}${name === undefined ? 'Review' : 'review'} ${isPast ? 'was due' : 'due'} ${day}.`;
}

function holdActions(call: PageCall, hold: HoldRow): Markup {
  const id = hold.DecisionDelayID;
  const name = (hold.DecisionDelay ?? '') || `Hold ${id}`;
  const field = `extend-${id}`;
  return html`<details class="menu extend"><summary class="button">Extend<span class="hidden"> ${name}</span></summary>
<form method="post" class="menu-entries right extend-form">
${csrfField(call)}${hiddenField('HoldID', id)}
<label class="field-label" for="${field}">Review on</label>
<input class="input" type="date" id="${field}" name="ReviewDate" required value="${
    hold.ProjectedCompletion === null ? '' : localDay(call, hold.ProjectedCompletion)
  }">
${button({ text: 'Save', name: 'Action', value: 'extend', of: `the review date of ${name}` })}
</form></details>
<form method="post">${csrfField(call)}${hiddenField('HoldID', id)}
${button({ text: 'Release hold', name: 'Action', value: 'endhold', of: name })}</form>`;
}
