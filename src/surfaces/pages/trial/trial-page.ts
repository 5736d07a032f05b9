import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { recordPath } from '../display-values.ts';
import { page } from '../page.ts';
import { recordIdFromPath, recordLabel, recordTypeFromPath } from '../record-address.ts';
import { ruleTrial } from './rule-trial.ts';
import { scoreTrial } from './score-trial.ts';

/** Returns the address at which a record of configuration is tried; undefined if it cannot be. */
export function trialPath(record: string, id: number): string | undefined {
  if (record === 'Matrix') return `/configure/matrices/${id}`;
  return record === 'BusinessRule' || record === 'ScoreTemplate'
    ? `/configure/try/${record.toLowerCase()}/${id}`
    : undefined;
}

/** Tries a rule or a scorecard. Nothing is saved. */
export const tryPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const address = trialPath(record.name, id);
  if (address === undefined || record.name === 'Matrix') throw new PlatformError('NOT_FOUND');
  const isRule = record.name === 'BusinessRule';
  const row = isRule
    ? (await call.call('businessrule/select', { ID: id })).answer.row
    : (await call.call('scoretemplate/select', { ID: id })).answer.row;
  const { form, result } =
    'BusinessRuleID' in row ? await ruleTrial(call, address, row) : await scoreTrial(call, address, row);
  const name = recordLabel(record, row);
  return {
    title: `Try ${name}`,
    place: 'configure',
    entries: ['trial'],
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: record.titlePlural, href: `/records/${record.module}` },
      { text: name, href: recordPath(record.module, id) },
      { text: 'Try it' },
    ],
    body: html`<div class="page"><header class="page-head"><h1>Try <bdi>${name}</bdi></h1>${buttonLink({
      text: `Open the ${record.title.toLowerCase()}`,
      href: recordPath(record.module, id),
    })}</header>
<div class="trial-columns"><section class="card" aria-label="Values"><h2 class="hidden">Values</h2>${form}</section>
<section class="card trial-found" aria-label="Result"><h2 class="hidden">Result</h2>${result}</section></div></div>`,
  };
});
