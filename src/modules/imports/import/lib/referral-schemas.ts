import { readFileSync } from 'node:fs';
import { decodeBase64 } from '../../../../kernel/xml/base64.ts';
import { childOf, childText, escapeAttribute, walkXml, type XmlElement } from '../../../../kernel/xml/element.ts';
import { quoteValue, type SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { liftedIndex } from './lift.ts';
import { compileSchema, type CompiledSchema } from '../../../../kernel/xml/schema.ts';

/** Kinds of case that firms refer, named after the element with the Attorney Case ID. */
export type CaseKindName = 'Foreclosure' | 'POC' | 'MFR';

/** Properties of a kind of case. */
export interface CaseKind {
  readonly name: CaseKindName;
  readonly record: 'Foreclosure' | 'Bankruptcy';
  /** What distinguishes it from other kinds of the same record type, if there are any. */
  readonly type: 'POC' | 'MFR' | undefined;
  /** Elements that are ledgers of the case. */
  readonly ledgers: readonly string[];
}

const arrearages = ['PrePetitionArrearagesLedger', 'PostPetitionArrearagesLedger'] as const;

/** The kinds of case; POC and MFR are both bankruptcies. */
export const caseKinds: Readonly<Record<CaseKindName, CaseKind>> = {
  Foreclosure: { name: 'Foreclosure', record: 'Foreclosure', type: undefined, ledgers: ['TotalDebtLedger'] },
  POC: { name: 'POC', record: 'Bankruptcy', type: 'POC', ledgers: arrearages },
  MFR: { name: 'MFR', record: 'Bankruptcy', type: 'MFR', ledgers: arrearages },
};

/** Properties of a referral operation: its schema, its item element, and the record that an item is saved as. */
export interface ReferralOperationFacts {
  readonly file: string;
  readonly item: string;
  readonly update: boolean;
  /** Kind of case, for items that are cases. */
  readonly kind?: CaseKindName;
  /** Record type, for stand-alone items (`Object`, `ObjectSubscriberID`). */
  readonly standAlone?: 'Message' | 'Attachment' | 'ImportForm';
}

/** The nine referral imports, by the name of their import type. All share the operation `import/{Template}`. */
export const referralOperations = {
  Foreclosure: { file: 'Foreclosure.xsd', item: 'ForeclosureItem', update: false, kind: 'Foreclosure' },
  ForeclosureUpdate: { file: 'Foreclosure.Update.xsd', item: 'ForeclosureItem', update: true, kind: 'Foreclosure' },
  POC: { file: 'POC.xsd', item: 'POCItem', update: false, kind: 'POC' },
  POCUpdate: { file: 'POC.Update.xsd', item: 'POCItem', update: true, kind: 'POC' },
  MFR: { file: 'MFR.xsd', item: 'MFRItem', update: false, kind: 'MFR' },
  MFRUpdate: { file: 'MFR.Update.xsd', item: 'MFRItem', update: true, kind: 'MFR' },
  Message: { file: 'Message.xsd', item: 'MessageItem', update: false, standAlone: 'Message' },
  Document: { file: 'Document.xsd', item: 'AttachmentItem', update: false, standAlone: 'Attachment' },
  ImportForm: { file: 'ImportForm.xsd', item: 'ImportFormItem', update: false, standAlone: 'ImportForm' },
} as const satisfies Record<string, ReferralOperationFacts>;

export type ReferralOperation = keyof typeof referralOperations;

/** Values substituted in the schemas: `Loan/Agency` allows only the setting `InvestorName`. */
export interface SchemaSettings {
  readonly investorName: string;
}

/** Returns the properties of an operation. */
export function referralFacts(operation: ReferralOperation): ReferralOperationFacts {
  return referralOperations[operation];
}

/** Returns the record type of an operation's items. */
export function referralRecord(operation: ReferralOperation): string {
  const { kind, standAlone } = referralFacts(operation);
  return kind === undefined ? (standAlone ?? '') : caseKinds[kind].record;
}

/**
 * Returns the operation with this name, ignoring case and spaces: `foreclosure update` is ForeclosureUpdate. Undefined
 * if there is none.
 */
export function findReferralOperation(name: string): ReferralOperation | undefined {
  const requested = name.replace(/\s+/g, '').toLowerCase();
  return (Object.keys(referralOperations) as ReferralOperation[]).find(
    (operation) => operation.toLowerCase() === requested,
  );
}

/** Returns the compiled schema of an operation; compiled once for each investor name. */
export function schemaFor(operation: ReferralOperation, settings: SchemaSettings): CompiledSchema {
  const { file } = referralOperations[operation];
  // Attachments are lifted before validation, so tokens replace the base64; lift.ts and crossChecks validate the base64
  // more strictly than libxml2 does.
  const common = withInvestor(schemaSource(COMMON_FILE), settings).replaceAll('xs:base64Binary', 'xs:string');
  return compileSchema({ name: file, files: { [file]: schemaSource(file), [COMMON_FILE]: common } });
}

/**
 * Returns the schema of an operation as senders download it: one document, with the shared types inlined, and `names`
 * as its second annotation.
 */
export function servedSchema(operation: ReferralOperation, settings: SchemaSettings, names = ''): string {
  const common = /<xs:schema[^>]*>\n*([\s\S]*?)\n*<\/xs:schema>/.exec(schemaSource(COMMON_FILE))?.[1] ?? '';
  // A replacement function, because "$" in an investor's name would be read as a group reference.
  return schemaSource(referralOperations[operation].file).replace(
    / *<xs:include [^>]*\/>/,
    () => `${names === '' ? '' : `${names}\n`}${withInvestor(common, settings)}`,
  );
}

/** How {@link crossChecks} reads a document. */
export interface CrossCheckOptions {
  /** The document passed through lift.ts: tokens replace the contents, and their base64 has been validated. */
  readonly lifted?: boolean;
}

/**
 * Checks the rules that XML Schema cannot state: the combined length of a borrower's names, one Sequence for each
 * borrower, strict base64, amounts in ledgers, and what an update without a SubscriberID needs to find its case. Meant
 * for documents that are valid by their schema; safe for any.
 */
export function crossChecks(root: XmlElement, options: CrossCheckOptions = {}): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  walkXml(root, (element, path, parent) => {
    const message = elementIssue(element, parent, options);
    if (message !== undefined) issues.push({ message, line: element.line, path, element: element.name });
    if (element.name === 'Items' && parent?.name.endsWith('Ledger'))
      for (const issue of ledgerIssues(element, path)) issues.push(issue);
    if (element.name === 'Borrowers') for (const issue of sequenceIssues(element, path)) issues.push(issue);
    // Below Items any name is allowed and must not be mistaken for a schema element.
    return element.name !== 'Items';
  });
  return issues;
}

const COMMON_FILE = 'Common.xsd';
const NAMES_CHARACTERS_MAX = 50;
const AMOUNT = /^[+-]?(?:\d{1,14}(?:\.\d{0,4}0*)?|\.\d{1,4}0*)$/;

const schemaSources = new Map<string, string>();

function schemaSource(file: string): string {
  let text = schemaSources.get(file);
  if (text === undefined) {
    text = readFileSync(new URL(`../schema/${file}`, import.meta.url), 'utf8');
    schemaSources.set(file, text);
  }
  return text;
}

function withInvestor(text: string, settings: SchemaSettings): string {
  return text.replaceAll('{InvestorName}', () => escapeAttribute(settings.investorName));
}

function elementIssue(
  element: XmlElement,
  parent: XmlElement | undefined,
  options: CrossCheckOptions,
): string | undefined {
  switch (element.name) {
    case 'BorrowerItem':
      return borrowerNamesIssue(element);
    case 'Content':
      return parent?.name === 'AttachmentItem' ? contentIssue(element, options) : undefined;
    case 'ForeclosureItem':
    case 'POCItem':
    case 'MFRItem':
      return bindingIssue(element);
    default:
      return undefined;
  }
}

function borrowerNamesIssue(borrower: XmlElement): string | undefined {
  const length = characterCount(childText(borrower, 'LastName')) + characterCount(childText(borrower, 'FirstName'));
  if (length <= NAMES_CHARACTERS_MAX) return undefined;
  return (
    `LastName and FirstName of BorrowerItem have ${length} characters together; expected at most ` +
    `${NAMES_CHARACTERS_MAX}.`
  );
}

/** Returns an issue for each borrower with the Sequence of an earlier one. */
function sequenceIssues(borrowers: XmlElement, path: string): SchemaIssue[] {
  const lines = new Map<number, number>();
  return borrowers.children.flatMap((borrower, n): SchemaIssue[] => {
    const sequence = Number(childText(borrower, 'Sequence') ?? 'none');
    const first = lines.get(sequence);
    if (Number.isNaN(sequence)) return [];
    if (first === undefined) {
      lines.set(sequence, borrower.line);
      return [];
    }
    return [
      {
        message:
          `BorrowerItem has the Sequence ${sequence} of the BorrowerItem in line ${first}; expected another ` +
          'Sequence for each borrower.',
        line: borrower.line,
        path: `${path}/BorrowerItem[${n + 1}]`,
        element: 'BorrowerItem',
      },
    ];
  });
}

/** Counts characters as XML Schema does: one outside the basic plane counts once, although JavaScript counts two. */
function characterCount(text: string | undefined): number {
  return Array.from(text ?? '').length;
}

function contentIssue(content: XmlElement, options: CrossCheckOptions): string | undefined {
  if (options.lifted === true && liftedIndex(content.text) !== undefined) return undefined;
  if (content.text.trim() === '') return 'Content is empty; expected the file in base64.';
  const { problem } = decodeBase64(content.text);
  return problem === undefined ? undefined : `Content ${problem}; expected the file in base64.`;
}

function bindingIssue(item: XmlElement): string | undefined {
  if (childOf(item, 'SubscriberID')) return undefined;
  const loan = childOf(item, 'Loan');
  const missing = ['Agency', 'Loan'].filter((name) => !loan || !childText(loan, name));
  if (missing.length === 0) return undefined;
  return (
    `${item.name} has no SubscriberID and no ${missing.map((name) => `Loan/${name}`).join(' and ')}; ` +
    'expected one or the other to find the case.'
  );
}

function ledgerIssues(items: XmlElement, path: string): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  walkXml(items, (line, below, parent) => {
    if (line.name === 'Items' || (line.name === 'Template' && parent?.name !== 'Items')) return true;
    const message = ledgerLineIssue(line);
    // Paths of the inner walk begin at Items, which ends the outer path.
    if (message !== undefined)
      issues.push({ message, line: line.line, path: path + below.slice('/Items'.length), element: line.name });
    return message === undefined;
  });
  return issues;
}

function ledgerLineIssue(line: XmlElement): string | undefined {
  if (line.children.length === 0) {
    return AMOUNT.test(line.text.trim())
      ? undefined
      : `${line.name} is ${quoteValue(line.text, line.name)}; expected an amount as a decimal number, such as 1250.00.`;
  }
  const names = line.children.map((child) => child.name);
  const asLedger = names.join() === 'Items' || names.join() === 'Template,Items';
  return asLedger && line.text === ''
    ? undefined
    : `${line.name} contains ${names[0]}; expected an amount, or Items with the lines of a ledger below it.`;
}
