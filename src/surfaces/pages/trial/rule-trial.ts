import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { selectField } from '../design/field.ts';
import type { PageCall } from '../page-call.ts';
import { columnText, plainText } from '../plain-text.ts';
import { derivedType, selectRow } from '../record-address.ts';
import type { TrialParts } from './score-trial.ts';
import {
  isComplete,
  readTrial,
  refusedTrial,
  smallLine,
  triedLines,
  trialForm,
  trialResult,
  type TrialEntries,
  type TrialInput,
  type TriedLine,
} from './trial-view.ts';

/** Most fields of a rule that can be changed for a trial. */
const INPUTS_MAX = 40;

/** Tries a rule on the record that was chosen, or on a new one with the values that were entered. Nothing is saved. */
export async function ruleTrial(call: PageCall, address: string, rule: RowNamed<'BusinessRule'>): Promise<TrialParts> {
  const record = call.platform.registry.record(rule.AppliesTo ?? '');
  const entries = await readTrial(call, record);
  const operations = operationsOf(rule);
  const operation = operations.find((name) => name === plainText(call.form['operation']));
  const before =
    operations.length > 1 &&
    selectField({
      label: 'Before',
      name: 'operation',
      id: 'trial-operation',
      value: operation,
      choices: operations.map((value) => ({ value, text: value })),
      empty: 'What the record allows',
    });
  const parts = { address, clear: address, record, before, entries };
  const hint = 'Choose a record, or enter the values of a new one, to see the result of the rule, and why.';
  try {
    const inputs = record ? await inputsOf(call, record, rule, entries) : [];
    const form = trialForm(call, { ...parts, inputs });
    if (!isComplete(entries)) return { form, result: trialResult(html`<p class="muted small">${hint}</p>`) };
    return { form, result: await verdict(call, rule.BusinessRuleID, { entries, operation }) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    const inputs = record ? fieldsOf(record, rule).map(({ name }) => ({ label: columnLabel(record, name), name })) : [];
    return { form: trialForm(call, { ...parts, inputs }), result: refusedTrial(error.masked().message) };
  }
}

/** Returns the operations that a rule names, a save as what it is for new and for stored records. */
function operationsOf({ Operation: named }: RowNamed<'BusinessRule'>): string[] {
  const names = (named ?? '').split(',').map((name) => name.trim());
  return [...new Set(names.flatMap((name) => (name === 'Save' ? ['Insert', 'Update'] : [name])))].filter(Boolean);
}

/** Returns the columns that a rule names. */
function fieldsOf(record: RecordType, { Stylesheet: text }: RowNamed<'BusinessRule'>): RecordType['shown'] {
  const words = new Set((text ?? '').match(/[A-Za-z][A-Za-z0-9]*/g) ?? []);
  return record.shown
    .filter(
      ({ name, field }) =>
        words.has(name) && name !== record.idField && !field.computed && field.classification !== 'secret',
    )
    .slice(0, INPUTS_MAX);
}

async function inputsOf(
  call: PageCall,
  record: RecordType,
  rule: RowNamed<'BusinessRule'>,
  { record: { id } }: TrialEntries,
): Promise<TrialInput[]> {
  if (id === undefined) return fieldsOf(record, rule).map(({ name }) => ({ label: columnLabel(record, name), name }));
  const found = await selectRow(call, record, id);
  const concrete = derivedType(call, record, found) ?? record;
  const row = concrete === record ? found : await selectRow(call, concrete, id);
  return fieldsOf(concrete, rule).map(({ name }) => ({
    label: columnLabel(concrete, name),
    name,
    actual: columnText(row, name),
  }));
}

async function verdict(
  call: PageCall,
  id: number,
  { entries, operation }: { readonly entries: TrialEntries; readonly operation: string | undefined },
): Promise<Markup> {
  const { id: recordId } = entries.record;
  const { answer } = await call.call(
    'businessrule/try',
    {
      ID: id,
      ...(recordId === undefined ? {} : { RecordID: recordId }),
      ...(operation === undefined ? {} : { Operation: operation }),
    },
    entries.values,
  );
  const root: TreeNode = answer.root;
  const texts = (name: string): string[] => nodesAt(root, name).map(({ value }) => plainText(value));
  const [exceptions, warnings] = [texts('Exceptions'), texts('Warnings')];
  const failure = valueAt(root, 'Failure');
  return trialResult(html`${verdictBanner({ failure, exceptions, warnings })}
${triedLines('Conditions', nodesAt(root, 'Conditions').map(conditionLine))}`);
}

function verdictBanner(verdictTexts: {
  readonly failure: string;
  readonly exceptions: readonly string[];
  readonly warnings: readonly string[];
}): Markup {
  const { failure, exceptions, warnings } = verdictTexts;
  const list = (texts: readonly string[]): Markup | false =>
    texts.length > 0 && html`<ul class="plain-list">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
  if (failure !== '')
    return banner({ tone: 'danger', text: 'The rule cannot be run.', more: html`<p>${failure}</p>`, role: 'status' });
  const more = html`${list(exceptions)}${warnings.length > 0 && html`<p>Warnings</p>${list(warnings)}`}`;
  if (exceptions.length > 0)
    return banner({ tone: 'danger', text: 'The rule refuses the change.', more, role: 'status' });
  if (warnings.length > 0)
    return banner({ tone: 'warn', text: 'The change is saved, with a warning.', more: list(warnings), role: 'status' });
  return banner({ tone: 'ok', text: 'The rule allows the change.', role: 'status' });
}

function conditionLine(condition: TreeNode): TriedLine {
  const holds = condition.children?.find(({ name }) => name === 'Holds')?.value;
  const values = nodesAt(condition, 'Values').map((node) => {
    const value = valueAt(node, 'Value');
    return `${lastStep(valueAt(node, 'Name'))} is ${value === '' ? 'empty' : value}`;
  });
  const says = valueAt(condition, 'Says');
  const known = holds === true ? 'met' : 'missed';
  const isKnown = typeof holds === 'boolean';
  return {
    outcome: isKnown ? known : 'unknown',
    name: html`<code>${valueAt(condition, 'Test')}</code>${smallLine(says)}`,
    why: isKnown ? values.join(', ') : 'Known only when the whole rule runs.',
    end: `line ${valueAt(condition, 'Line')}`,
  };
}

/** Returns the last step of a path, with a word for the stored record. */
function lastStep(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace('@', '');
  return path.includes('Before/') ? `${name} before` : name;
}

function nodesAt({ children = [] }: TreeNode, name: string): readonly TreeNode[] {
  return children.find((child) => child.name === name)?.children ?? [];
}

function valueAt({ children = [] }: TreeNode, name: string): string {
  return plainText(children.find((child) => child.name === name)?.value);
}
