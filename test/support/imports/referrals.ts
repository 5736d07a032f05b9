import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { childText, escapeText, parseXml } from '../../../src/kernel/xml/element.ts';
import type { Caller, TestPlatform } from '../platform.ts';

/** One Result of ImportResults. */
export interface ReferralResult {
  readonly id: number;
  readonly reference: string | undefined;
  readonly object: string;
  readonly objectId: number | undefined;
  readonly operation: string;
  readonly status: string;
  readonly message: string | undefined;
  /** The saved properties in the answer; undefined if they are left out. */
  readonly properties: string | undefined;
}

/** A parsed answer of the referral import. */
export interface ReferralAnswer {
  readonly http: number;
  readonly text: string;
  readonly id: number;
  readonly status: string;
  readonly success: number;
  readonly warnings: number;
  readonly errors: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly results: readonly ReferralResult[];
  /** `Object Operation Status` of each Result, in order. */
  readonly reported: readonly string[];
  /** The results of one record type. */
  of(object: string): readonly ReferralResult[];
  /** The ID of the only case of the submission. */
  readonly caseId: number;
}

/** Sends a document to a referral operation as a firm's automation would. */
export async function sendReferral(
  caller: Caller,
  operation: string,
  xml: string | Uint8Array,
  query = '',
): Promise<ReferralAnswer> {
  const answer = await caller.post(`/api/import/${operation}${query}`, xml, {
    'Content-Type': 'text/xml; charset=utf-8',
  });
  return readAnswer(answer.status, answer.text);
}

/** Parses an ImportResults document. */
export function readAnswer(http: number, text: string): ReferralAnswer {
  const root = parseXml(text);
  assert.equal(root.name, 'ImportResults', text.slice(0, 500));
  const number = (name: string): number => Number(root.attributes[name]);
  const texts = new Map(
    [...text.matchAll(/<Result [^>]*?\bID="(\d+)"[\s\S]*?<\/Result>/g)].map(([all, id]) => [id, all]),
  );
  const results = root.children.map((child): ReferralResult => {
    const own = texts.get(child.attributes['ID'] ?? '') ?? '';
    const properties = /<Properties>([\s\S]*)<\/Properties>/.exec(own)?.[1];
    const id = childText(child, 'ObjectID');
    return {
      id: Number(child.attributes['ID']),
      reference: child.attributes['Reference'],
      object: childText(child, 'Object') ?? '',
      objectId: id === undefined ? undefined : Number(id),
      operation: childText(child, 'Operation') ?? '',
      status: childText(child, 'Status') ?? '',
      message: childText(child, 'Message'),
      properties,
    };
  });
  return {
    http,
    text,
    id: number('ID'),
    status: root.attributes['Status'] ?? '',
    success: number('SuccessCount'),
    warnings: number('WarningCount'),
    errors: number('ErrorCount'),
    attributes: root.attributes,
    results,
    reported: results.map((r) => `${r.object} ${r.operation} ${r.status}`),
    of: (object) => results.filter((r) => r.object === object),
    get caseId() {
      const [first, ...more] = results.filter((r) => r.object === 'Foreclosure' || r.object === 'Bankruptcy');
      assert.ok(first?.objectId !== undefined && more.length === 0, text);
      return first.objectId;
    },
  };
}

/** Parts of a test referral; everything has a valid default. */
export interface ReferralParts {
  readonly reference?: string;
  readonly subscriberId?: string;
  readonly loan?: string;
  /** Further elements of the loan, at the position of the property. */
  readonly property?: string;
  readonly loanRest?: string;
  readonly borrowers?: readonly string[];
  readonly publicRecords?: readonly string[];
  readonly caseNumber?: string;
  readonly opened?: string;
  readonly status?: string;
  /** From ProcessType on, in the order of the schema. */
  readonly rest?: string;
}

let made = 0;
/** Returns a number not used elsewhere in the test process: loans have nine digits. */
export const nextLoan = (): string => String(500_000_000 + (process.pid % 1_000) * 10_000 + made++);

const element = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeText(text)}</${name}>`;

/** Returns a borrower; without `ssn` the SSN is left out. */
export function borrower(sequence: number, lastName: string, firstName: string, ssn?: string): string {
  return (
    `<BorrowerItem><LastName>${escapeText(lastName)}</LastName><FirstName>${escapeText(firstName)}</FirstName>` +
    `<BorrowerType>${sequence === 1 ? 'Primary' : 'Secondary'}</BorrowerType>${element('USSSN', ssn)}` +
    `<Sequence>${sequence}</Sequence></BorrowerItem>`
  );
}

/** Returns the Loan element of a new referral. */
export function loanXml(parts: ReferralParts): string {
  const {
    loan = nextLoan(),
    property = '',
    loanRest = '<ServicerLoanID>S-1</ServicerLoanID><OriginalBalance>200000.00</OriginalBalance>' +
      '<UPBAmount>150000.55</UPBAmount>',
    borrowers = [borrower(1, 'Tarrow', 'Ines')],
  } = parts;
  const records =
    parts.publicRecords === undefined ? '' : `<PublicRecords>${parts.publicRecords.join('')}</PublicRecords>`;
  return (
    `<Loan><Agency>INVESTOR</Agency><Loan>${loan}</Loan>${property}${loanRest}${records}` +
    `<Borrowers>${borrowers.join('')}</Borrowers></Loan>`
  );
}

/** Returns one ForeclosureItem of a new referral. */
export function foreclosureItem(parts: ReferralParts = {}): string {
  const { caseNumber = `F-${made++}`, opened = '2024-03-05', status = 'Open', rest = '' } = parts;
  return (
    `<ForeclosureItem${parts.reference === undefined ? '' : ` Reference="${parts.reference}"`}>` +
    `${element('SubscriberID', parts.subscriberId)}${loanXml(parts)}${element('Foreclosure', caseNumber)}` +
    `${element('DateOpened', opened)}${element('Status', status)}${rest}</ForeclosureItem>`
  );
}

/** A type of case, by its element. */
export type CaseElement = 'Foreclosure' | 'POC' | 'MFR';

/** Returns one POCItem or MFRItem of a new referral; `rest` from BKCaseNo on. */
export function bankruptcyItem(kind: 'POC' | 'MFR', parts: ReferralParts = {}): string {
  const { caseNumber = `B-${made++}`, opened = '2024-03-05', status = 'Open', rest = '' } = parts;
  return (
    `<${kind}Item${parts.reference === undefined ? '' : ` Reference="${parts.reference}"`}>` +
    `${element('SubscriberID', parts.subscriberId)}${loanXml(parts)}${element(kind, caseNumber)}` +
    `${element('DateOpened', opened)}${element('Status', status)}${rest}</${kind}Item>`
  );
}

/** Returns a new referral of any type as a whole document. */
export const referral = (kind: CaseElement, parts: ReferralParts = {}): string =>
  collection(kind === 'Foreclosure' ? foreclosureItem(parts) : bankruptcyItem(kind, parts));

/** Returns a standalone record of a case: `item` is its element, `rest` follows the case's name. */
export const standAloneItem = (
  item: 'MessageItem' | 'AttachmentItem' | 'ImportFormItem',
  object: string,
  subscriberId: string,
  rest: string,
): string => `<${item}>${element('Object', object)}${element('ObjectSubscriberID', subscriberId)}${rest}</${item}>`;

/** Returns a whole document of items. */
export function collection(items: string | readonly string[], reference?: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?>\n` +
    `<ImportCollection${reference === undefined ? '' : ` Reference="${reference}"`}>` +
    `${typeof items === 'string' ? items : items.join('')}</ImportCollection>`
  );
}

/** Returns a new referral as a whole document. */
export const foreclosure = (parts: ReferralParts = {}): string => collection(foreclosureItem(parts));

/** Returns an update by SubscriberID as a whole document; `rest` from Loan on. */
export const updateOf = (subscriberId: string, rest = '', kind: CaseElement = 'Foreclosure'): string =>
  collection(`<${kind}Item>${element('SubscriberID', subscriberId)}${rest}</${kind}Item>`);

/** Returns an update by Autobind. */
export const updateByNumber = (
  loan: string,
  caseNumber: string,
  rest = '',
  kind: CaseElement = 'Foreclosure',
): string =>
  collection(
    `<${kind}Item><Loan><Agency>INVESTOR</Agency><Loan>${loan}</Loan></Loan>` +
      `${element(kind, caseNumber)}${rest}</${kind}Item>`,
  );

/** A firm whose user signs in with name and password, as the referral import requires. */
export interface ReferralFirm {
  readonly organizationId: number;
  readonly personId: number;
  readonly caller: Caller;
  send(operation: string, xml: string | Uint8Array, query?: string): Promise<ReferralAnswer>;
  /** Returns the rows of a search, as JSON. */
  search(path: string): Promise<Record<string, unknown>[]>;
}

/** Creates a firm; its user's calls carry Basic credentials and a SOAPAction. Roles default to Partner. */
export async function referralFirm(on: TestPlatform, name: string, roles?: string): Promise<ReferralFirm> {
  const { organizationId, personId } = await on.firm(name, roles);
  const basic = on.byPassword(`user of ${name}`, `password of user of ${name}`);
  const caller: Caller = {
    ...basic,
    get: (path, headers) => basic.get(path, { SOAPAction: 'import', ...headers }),
    post: (path, body, headers) => basic.post(path, body, { SOAPAction: 'import', ...headers }),
  };
  return {
    organizationId,
    personId,
    caller,
    send: (operation, xml, query) => sendReferral(caller, operation, xml, query),
    search: (path) => searchRows(caller, path),
  };
}

/** Returns the rows of a search by any caller. */
export async function searchRows(caller: Caller, path: string): Promise<Record<string, unknown>[]> {
  const answer = await caller.get(`/api/${path}${path.includes('?') ? '&' : '?'}Output=Json`);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  const [tree] = Object.values(JSON.parse(answer.text) as Record<string, unknown>);
  const rows = typeof tree === 'object' && tree !== null ? Object.values(tree)[0] : undefined;
  return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
}

interface SampleTemplates {
  readonly [kind: string]: readonly { readonly name: string; readonly appliesTo: string }[];
}

const kinds = {
  forms: 'ImportFormTemplate',
  delays: 'DecisionDelayTemplate',
  messages: 'MessageTemplate',
  documents: 'AttachmentTemplate',
} as const;

/** The folder of the committed samples. */
export const samplesFolder = new URL('../../../samples/', import.meta.url);

/** Creates the templates that the samples and these tests name. */
export async function saveSampleTemplates(admin: Caller): Promise<void> {
  const templates = JSON.parse(readFileSync(new URL('templates.json', samplesFolder), 'utf8')) as SampleTemplates;
  for (const [kind, className] of Object.entries(kinds)) {
    for (const { name, appliesTo } of templates[kind] ?? []) {
      const answer = await admin.post(`/api/${className.toLowerCase()}/save`, {
        [className]: name,
        AppliesTo: appliesTo,
        Repeatable: 'Many',
      });
      assert.equal(answer.status, 200, answer.text);
    }
  }
}

/** Changes a setting of the installation. */
export async function setSetting(admin: Caller, name: string, value: string): Promise<void> {
  const answer = await admin.post('/api/setting/save', { Setting: name, Value: value });
  assert.equal(answer.status, 200, answer.text);
}
