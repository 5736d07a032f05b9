import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import {
  readTrial,
  refusedTrial,
  smallLine,
  triedLines,
  trialForm,
  trialResult,
  type TriedLine,
} from './trial-view.ts';

/** The parts of a page that tries something: its form and what it found. */
export interface TrialParts {
  readonly form: Markup;
  readonly result: Markup;
}

type ScoreTrial = Awaited<ReturnType<typeof calculate>>;

const sources: Readonly<Record<ScoreTrial['items'][number]['source'], string>> = {
  Sent: 'entered here',
  Calculated: 'calculated',
  Found: 'found in the record',
  Stored: 'as stored',
  Masked: 'hidden',
  None: 'no value',
};

const outcomes = { Calculated: 'calculated', Matched: 'met', Missed: 'missed', Blank: 'any' } as const;

/** Calculates a scorecard for the record that was chosen, with the values that were entered. Nothing is saved. */
export async function scoreTrial(call: PageCall, address: string, row: RowNamed<'ScoreTemplate'>): Promise<TrialParts> {
  const { registry } = call.platform;
  const record = registry.record(row.AppliesTo ?? '') ?? registry.recordType('Loan');
  const entries = await readTrial(call, record);
  const parts = { address, clear: address, record, entries };
  const { id } = entries.record;
  if (id === undefined)
    return {
      form: trialForm(call, { ...parts, inputs: [] }),
      result: trialResult(html`<p class="muted small">Choose a record to see its score, and why.</p>`),
    };
  try {
    const of = { ID: row.ScoreTemplateID, Object: record.name, ObjectID: id };
    const trial = await calculate(call, of, entries.values);
    const inputs = trial.inputs.map(({ name, value, isSent }) => ({
      label: name,
      name: name.replace(/[^\p{L}\p{N}]/gu, ''),
      actual: isSent ? undefined : (value ?? ''),
    }));
    return { form: trialForm(call, { ...parts, inputs }), result: scoreResult(trial, row.ScoreTemplate ?? '') };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    const inputs = Object.keys(entries.values).map((name) => ({ label: name, name }));
    return { form: trialForm(call, { ...parts, inputs }), result: refusedTrial(error.masked().message) };
  }
}

async function calculate(
  call: PageCall,
  of: { readonly ID: number; readonly Object: string; readonly ObjectID: number },
  values: Readonly<Record<string, string>>,
) {
  return (await call.call('scoretemplate/try', of, values)).answer.row.Trial;
}

function scoreResult({ value, later, steps, items }: ScoreTrial, name: string): Markup {
  const head = value ?? later ?? 'No value of its own';
  const lines = steps.map((step): TriedLine => ({
    outcome: outcomes[step.outcome],
    name: step.name,
    why: html`<code>${step.rule}</code>${smallLine(step.reason)}`,
    end: step.outcome === 'Calculated' ? (step.value ?? 'none') : undefined,
  }));
  const rows = items.map((item): TriedLine => ({
    outcome: item.source === 'Calculated' ? 'calculated' : 'any',
    name: item.name,
    why: sources[item.source],
    end: item.value ?? undefined,
  }));
  return trialResult(html`<div class="trial-winner" role="status"><p class="soft small">${name}</p>
<p><b>${head}</b></p></div>
${triedLines('Why', lines)}${triedLines('Items', rows)}`);
}
