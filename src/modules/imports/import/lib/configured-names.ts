import type { Context } from '../../../../kernel/door/context.ts';
import { templatesFor, type Template } from '../../../../kernel/records/save/template.ts';
import { escapeAttribute, escapeText } from '../../../../kernel/xml/element.ts';
import { readTemplateLines } from '../../../ledgers/public/stored-ledgers.ts';
import { questionNames } from '../../../work/public/reported-tasks.ts';
import { caseKinds, referralFacts, type ReferralOperation } from './referral-schemas.ts';
import { lineElementName } from './ledger-line-names.ts';

/** An element that names a template, and the record type of the templates. */
interface NamingElement {
  readonly element: string;
  readonly template: 'ImportFormTemplate' | 'DecisionDelayTemplate' | 'MessageTemplate' | 'AttachmentTemplate';
}

const STEPS: NamingElement = { element: 'ImportFormItem/Template', template: 'ImportFormTemplate' };
const MESSAGES: NamingElement = { element: 'MessageItem/Template', template: 'MessageTemplate' };
const DOCUMENTS: NamingElement = { element: 'AttachmentItem/Template', template: 'AttachmentTemplate' };
const HOLDS: NamingElement = { element: 'DecisionDelayItem/Template', template: 'DecisionDelayTemplate' };

const STAND_ALONE = { ImportForm: STEPS, Message: MESSAGES, Attachment: DOCUMENTS } as const;

/**
 * Returns the names of this installation that documents of an operation can have, as an annotation of its schema: the
 * templates of steps with their questions, of holds, messages and documents, and ledgers with their lines. A firm gets
 * those whose records it can see.
 */
export async function configuredNames(ctx: Context, referral: ReferralOperation): Promise<string> {
  const { kind, standAlone } = referralFacts(referral);
  const parts: string[] = [];
  const elements = standAlone === undefined ? [HOLDS, STEPS, MESSAGES, DOCUMENTS] : [STAND_ALONE[standAlone]];
  const objects = kind === undefined ? ['Foreclosure', 'Bankruptcy'] : [caseKinds[kind].record];
  for (const object of objects) {
    for (const { element, template } of elements)
      parts.push(namesXml(element, object, await templateNames(ctx, template, object)));
    if (kind !== undefined) parts.push(namesXml('Ledger/Template', object, await ledgerNames(ctx, object)));
  }
  return `<xs:annotation>\n  <xs:appinfo>\n${parts.join('')}  </xs:appinfo>\n</xs:annotation>`;
}

/** A name with what can be sent below it: questions of a step, or lines of a ledger. */
interface ConfiguredName {
  readonly name: string;
  readonly attribute?: string;
  readonly below?: readonly string[];
}

function namesXml(element: string, object: string, names: readonly ConfiguredName[]): string {
  const rows = names.map(({ name, attribute, below = [] }) => {
    const more =
      attribute === undefined || below.length === 0 ? '' : ` ${attribute}="${escapeAttribute(below.join(' '))}"`;
    return `      <Name${more}>${escapeText(name)}</Name>\n`;
  });
  return `    <Names Element="${element}" Object="${object}">\n${rows.join('')}    </Names>\n`;
}

async function usable(ctx: Context, record: string, object: string): Promise<readonly Template[]> {
  const all = await templatesFor(ctx, ctx.registry.requireRecord(record, 'Template'), object);
  return ctx.user.universal ? all : all.filter(({ extranetEnabled }) => extranetEnabled !== 'No');
}

async function templateNames(
  ctx: Context,
  template: NamingElement['template'],
  object: string,
): Promise<readonly ConfiguredName[]> {
  const names: ConfiguredName[] = [];
  for (const { id, name } of await usable(ctx, template, object))
    names.push(
      template === 'ImportFormTemplate'
        ? { name, attribute: 'Questions', below: await questionNames(ctx, id) }
        : { name },
    );
  return names;
}

async function ledgerNames(ctx: Context, object: string): Promise<readonly ConfiguredName[]> {
  const names: ConfiguredName[] = [];
  for (const { id, name } of await usable(ctx, 'LedgerTemplate', object)) {
    const lines = await readTemplateLines(ctx.configuration.db, id);
    names.push({ name, attribute: 'Items', below: lines.map((line) => lineElementName(line.ledgertemplateitem)) });
  }
  return names;
}
