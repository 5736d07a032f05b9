import type { RecordType } from '../../src/kernel/declare/record.ts';
import type { Field } from '../../src/kernel/declare/field-types.ts';
import { protect } from '../../src/kernel/records/save/protect.ts';
import { insertText } from '../../src/kernel/database/sql.ts';
import type { RunningPlatform } from '../../src/app/platform.ts';

/** A firm's records of every type, created from the declarations alone. */
export interface FirmRecords {
  readonly organizationId: number;
  readonly personId: number;
  /** A word that is in every text of the firm's records and nowhere else. */
  readonly mark: string;
  /** Returns the ID of the firm's record of a type. */
  id(record: RecordType): number;
  /** Returns that record's external ID in the firm's view. */
  subscriberId(record: RecordType): string;
  /** Every value of the firm's records that would reveal them: marked texts, amounts, numbers. */
  readonly revealing: readonly string[];
}

/** What a recipe can use: IDs of the same firm's other records, created on demand. */
export interface Recipe {
  readonly organizationId: number;
  readonly personId: number;
  readonly mark: string;
  idOf(record: string): Promise<number>;
}

/**
 * Values that a type needs beyond its declaration: a format required by a constraint, or a key that decides its
 * visibility. By lower-cased column name; the factory fills in the rest.
 */
const recipes: Readonly<Record<string, (recipe: Recipe) => Promise<Record<string, unknown>>>> = {
  // A user of the firm; the factory's own text would not be an active user's status.
  Person: async () => ({ status: 'Inactive', roles: '' }),
  // The platform itself parses the label and text of statements.
  Statement: async ({ mark }) => ({ classname: 'Contact', query: `select '${mark}' as marked` }),
  Follow: async ({ idOf }) => ({ object: 'Foreclosure', objectid: await idOf('Foreclosure') }),
  Notification: async ({ idOf }) => ({ object: 'Foreclosure', objectid: await idOf('Foreclosure') }),
  LegalHold: async ({ idOf }) => ({ object: 'Foreclosure', objectid: await idOf('Foreclosure') }),
  ObjectSubscription: async ({ organizationId }) => ({
    object: 'Organization',
    objectid: organizationId,
    organizationid: organizationId,
  }),
  // Inactive, on an existing table and change: it would be evaluated at every change.
  BusinessRule: async () => ({
    status: 'Inactive',
    appliesto: 'Loan',
    operation: 'Insert',
    startdate: null,
    enddate: null,
    rulevalidator: null,
  }),
  // The type of a bankruptcy has two values; both names are one column.
  Bankruptcy: async () => ({ processtype: 'POC', bankruptcytype: 'POC' }),
  // Three flags, thresholds, and an existing engine.
  ImportFileTemplate: async () => ({
    importoperationsallowed: 3,
    failurethreshold: '5%',
    successthreshold: '1',
    importengine: 'DelimitedEngine',
    schema: null,
  }),
  // A map's type, and pairs of values.
  ImportFileMap: async ({ mark }) => ({
    importfilemaptype: 'Column',
    destination: 'Status',
    translation: `${mark}=${mark}`,
  }),
  // A row of a batch has one outcome, not both; only the platform can seal values.
  ImportFileQueue: async () => ({ successdate: null, parameterxml: null }),
  // A cell belongs to an input or an output, and names it; the pointer is an output's.
  MatrixFact: async ({ mark }) => ({
    matrixmeasureid: null,
    object: 'Organization',
    matrixfacttype: 'Input',
    cell: mark,
  }),
  // A question that is no longer asked: tasks of the same template are tried with any values.
  ImportFormQuestion: async () => ({
    status: 'Inactive',
    choices: null,
    minimum: null,
    maximum: null,
    pattern: null,
    calculation: null,
    shownwhen: null,
    requiredwhen: null,
  }),
  // Two records of the firm: a link is visible if both of its ends are.
  ObjectLink: async ({ organizationId, idOf }) => ({
    primaryobject: 'Loan',
    primaryobjectid: await idOf('Loan'),
    linkedobject: 'Organization',
    linkedobjectid: organizationId,
  }),
  // A value's confidence is from 0 to 1; an item without a mask has nothing sealed.
  Score: async ({ organizationId, personId }) => ({ confidence: `0.5${organizationId}7${personId}` }),
  ScoreItem: async ({ organizationId, personId }) => ({
    confidence: `0.4${organizationId}8${personId}`,
    scoresealed: null,
  }),
  // A value type and its code, a mask, and a name that expressions can use.
  ScoreTemplate: async () => ({ valuetype: 'Money', valuetypecode: 0 }),
  ScoreItemTemplate: async ({ mark }) => ({ valuetype: 'String', valuetypecode: 4, mask: null, safename: mark }),
  // Mail of a firm's mailbox is bound to the records of that firm.
  Message: async () => ({ mailinboundid: null }),
  MessageRecipient: async () => ({ category: 0 }),
  // A template that can be merged for any record.
  MessageTemplate: async () => ({
    method: null,
    fromaddress: null,
    toaddress: null,
    ccaddress: null,
    bccaddress: null,
    replytoaddress: null,
    tomethod: null,
    ccmethod: null,
    bccmethod: null,
    replytomethod: null,
    attachmenttemplates: null,
  }),
  // A mail's status is one of a few words; only the platform can seal values.
  MailDelivery: async () => ({ status: 'Sent', content: null, recipients: null }),
  // Letters and mailings have one of a few states; a lease only while it is submitted.
  Delivery: async () => ({ status: 'Prepared' }),
  DeliveryBatch: async () => ({ status: 'Prepared', leaseduntil: null }),
  MailHouse: async () => ({
    mailhousetype: 'folder',
    options: 'Location=Local&Path=/outbox&AcknowledgmentPath=/acknowledged',
    secrets: null,
  }),
  // A method that is not stored yet and a payment without a request that is open; both of a record of the firm.
  PaymentMethod: async ({ organizationId }) => ({ object: 'Organization', objectid: organizationId }),
  Payment: async () => ({ pendingaction: null }),
  PaymentProvider: async () => ({
    paymentprovidertype: 'test',
    apikey: null,
    webhooksecret: null,
    baseurl: null,
    timeoutseconds: null,
    options: null,
    secrets: null,
  }),
  MailInbound: async () => ({
    mailinboundtype: 'ImapReceiver',
    host: 'mail.example',
    username: 'cases',
    password: null,
    authorities: null,
    tokenurl: null,
    options: null,
    secrets: null,
  }),
  MailOutbound: async () => ({
    mailoutboundtype: 'smtp',
    fromaddress: 'cases@cases.example',
    password: null,
    clientsecret: null,
    refreshtoken: null,
    signaturekey: null,
    tokenurl: null,
    clientid: null,
    authorities: null,
    signaturedomain: null,
    signatureselector: null,
  }),
  // A workflow template always has a visibility; a step is on hold or complete, not both.
  DecisionTemplate: async () => ({ extranetenabled: 'Self' }),
  // A document type whose data are the summary of its record.
  AttachmentTemplate: async () => ({ method: null }),
  // A workflow of a step and a step of a workflow would create one another.
  Decision: async () => ({ parentdecisionstepid: null }),
  DecisionStep: async () => ({ delayed: false, errorguid: null, queuemessageid: null, object: null, objectid: null }),
  // An item refers to an existing record and has ended at most once; a queue type has no values that are checked.
  SmartWorklistMember: async ({ organizationId }) => ({
    sourceobject: 'Organization',
    sourceobjectid: organizationId,
    status: 'Queued',
    startdate: null,
    skipdate: null,
    cancelleddate: null,
    completiondate: null,
    auditeddate: null,
  }),
  SmartWorklist: async () => ({ sourceobject: 'Organization', canceleddate: null, status: 'Open' }),
  SmartWorklistTemplate: async () => ({
    sourceobject: 'Organization',
    calculatemethod: null,
    memberurl: null,
    onassignsourceperson: null,
  }),
  // A collection of the firm's organizations has the firm's as a member.
  Collection: async () => ({ sourceobject: 'Organization' }),
  CollectionMember: async ({ organizationId }) => ({ sourceobjectid: organizationId }),
  // A separate date for each firm's records; a schedule has one of two forms.
  Holiday: async ({ organizationId }) => ({
    date: new Date(Date.UTC(2100, 0, organizationId % 100_000)).toISOString().slice(0, 10),
  }),
  Schedule: async () => ({ schedulename: 'Daily @ 3am', intervalminutes: null }),
  Loan: async ({ mark }) => ({
    loan: String(700_000_000 + (Number.parseInt(mark.replace(/\D/g, ''), 10) % 1_000_000)),
  }),
};

/**
 * Parameters that an operation needs beside the record that it names, by route, if a value of the right type is not
 * enough. Other operations get values generated from their declaration.
 */
export const operationRecipes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The first chunk: without a name and size it would be refused for that.
  'attachment/uploadchunk': { FileName: 'x.txt', FileSize: '4' },
  // Items refer to existing records.
  'smartworklistmember/place': { SourceObject: 'Organization', SmartWorklist: 'x' },
  // Without a record there is no document, so none is generated with a type of another firm.
  'attachment/generate': { Object: 'Organization' },
  'attachment/hold': { Object: 'Organization' },
  'attachment/releasehold': { Object: 'Organization' },
  // Without a record, no message is written with a template of another firm.
  'message/generate': { Object: 'Organization' },
  'message/preview': { Object: 'Organization' },
  'message/send': { Object: 'Organization' },
  // A record is scored by its class and ID; scores are read by their template.
  'score/calculate': { Object: 'Organization' },
  'message/classify': { ID: '2000000000' },
  'scoretemplate/try': { Object: 'Organization' },
  // A ledger is previewed for a record of any type.
  'ledgertemplate/preview': { Object: 'Organization' },
  'score/save': { Object: 'Organization' },
  'score/savecalculate': { Object: 'Organization' },
  'score/pivotbytemplate': { ScoreTemplateID: '{ScoreTemplate}' },
  'score/analyzebytemplate': { ScoreTemplateID: '{ScoreTemplate}', Object: 'Organization' },
};

let made = 0;

/**
 * Creates one record of every type for an organization: directly in the tables, as the owner, so that no rule applies.
 */
export async function makeFirmRecords(
  platform: RunningPlatform,
  firm: { organizationId: number; personId: number },
): Promise<FirmRecords> {
  const mark = `zq${firm.organizationId}x${Date.now().toString(36).slice(-4)}k`;
  const ids = new Map<string, number>([['Organization', firm.organizationId]]);
  const subscribers = new Map<string, string>();
  const revealing = new Set<string>();
  const making = new Set<string>();
  const { registry } = platform;
  const recipe: Recipe = {
    ...firm,
    mark,
    async idOf(name) {
      const record = registry.record(name);
      if (!record) throw new Error(`there is no record type ${name}`);
      return make(record);
    },
  };

  async function make(record: RecordType): Promise<number> {
    const known = ids.get(record.name);
    if (known !== undefined) return known;
    making.add(record.name);
    const values = await valuesOf(record);
    const id = await insert(platform, record, values, { mark, revealing }).catch((error: unknown) => {
      // Nullable keys may exclude one another, like a ledger and its own item's ledger.
      const optional = [...values.keys()].filter((name) => optionalKey(record, name));
      if (optional.length === 0) throw error;
      return insert(
        platform,
        record,
        new Map([...values].map(([name, value]) => [name, optional.includes(name) ? null : value])),
        { mark, revealing },
      );
    });
    making.delete(record.name);
    ids.set(record.name, id);
    return id;
  }

  async function valuesOf(record: RecordType): Promise<Map<string, unknown>> {
    const fixed = await (recipes[record.name] ?? (async () => ({})))(recipe);
    const values = new Map<string, unknown>();
    for (const [name, column] of record.columns) {
      if (name in fixed) values.set(name, fixed[name as keyof typeof fixed]);
      else if (column.field.kind === 'id') values.set(name, await foreignId(name, column.field));
      else values.set(name, valueOf(column.field, `${mark}${++made}`));
    }
    return record.parent === undefined || 'object' in fixed
      ? values
      : values.set('object', 'Organization').set('objectid', firm.organizationId);
  }

  async function foreignId(name: string, field: Field): Promise<number | null> {
    if (name === 'createdpersonid' || name === 'updatedpersonid' || field.to === 'Person') return firm.personId;
    if (field.to === 'Organization' || field.grantsReach) return firm.organizationId;
    const target = field.to === undefined ? undefined : registry.record(field.to);
    // A cycle of keys is broken where it closes; nullable keys stay empty there.
    return target === undefined || making.has(target.name) ? null : make(target);
  }

  for (const record of registry.records()) {
    const id = await make(record);
    if (record.name === 'ObjectSubscription' || record.history === false) continue;
    const outside = `${mark}-sub-${record.name}`;
    await platform.store.query(
      `insert into objectsubscription (object, objectid, organizationid, subscriberid, objectsubscription)
       values ($1::text, $2::bigint, $3::bigint, $4::text, $4::text)`,
      [record.name, id, firm.organizationId, outside],
    );
    subscribers.set(record.name, outside);
  }
  return {
    ...firm,
    mark,
    revealing: [...revealing, mark],
    id: (record) => ids.get(record.name) ?? 0,
    subscriberId: (record) => subscribers.get(record.name) ?? `${mark}-none`,
  };
}

function optionalKey(record: RecordType, name: string): boolean {
  const field = record.columns.get(name)?.field;
  return (
    field?.kind === 'id' &&
    !field.required &&
    field.to !== undefined &&
    field.to !== 'Organization' &&
    name !== 'objectid'
  );
}

/** Returns a value of a field's type that can be recognized in an answer. */
function valueOf(field: Field, word: string): unknown {
  const number = 1_000 + (made % 9_000);
  switch (field.kind) {
    case 'text':
      return field.values ? field.values[0] : word.slice(0, field.max ?? 60);
    case 'xml':
      return `<x>${word}</x>`;
    case 'json':
      return JSON.stringify({ word });
    case 'integer':
      return number;
    case 'decimal':
    case 'money':
      return `${number}.5037`;
    case 'boolean':
      return true;
    case 'date':
      return '2019-03-07';
    case 'timestamp':
      return '2019-03-07T01:02:03.000Z';
    case 'ssn':
      return `90${String(1_000_000 + made).slice(-7)}`;
    default:
      return null;
  }
}

/** Inserts a record and returns its ID. Adds to `revealing` each value that reveals the record in an answer. */
async function insert(
  platform: RunningPlatform,
  record: RecordType,
  values: ReadonlyMap<string, unknown>,
  { mark, revealing }: { readonly mark: string; readonly revealing: Set<string> },
): Promise<number> {
  const { text, keys } = insertText(record);
  const stored = new Map<string, unknown>();
  for (const [name, value] of values) {
    const column = record.columns.get(name);
    if (!column) continue;
    if (typeof value === 'string' && (value.includes(mark) || ['ssn', 'decimal', 'money'].includes(column.field.kind)))
      revealing.add(value);
    if (column.field.kind === 'ssn')
      for (const [key, v] of protect(platform.cipher, column, value as string)) stored.set(key, v);
    else if (!stored.has(`${column.table}.${column.column}`)) stored.set(`${column.table}.${column.column}`, value);
  }
  const root = record.root.table;
  stored.set(`${root}.version`, 1);
  try {
    const [row] = await platform.store.query(
      text,
      keys.map((key) => stored.get(key) ?? null),
    );
    return Number(row?.[record.idField]);
  } catch (error) {
    throw new Error(
      `No ${record.name} could be made from its declaration: ` +
        `${error instanceof Error ? error.message : String(error)}. Add a recipe for it to test/support/records.ts.`,
      { cause: error },
    );
  }
}

/**
 * Returns one line for each table that holds records, and for the queue: its row count and hash. Equal before and after
 * means unchanged.
 */
export async function contentHash(platform: RunningPlatform): Promise<Readonly<Record<string, string>>> {
  const tables = [
    ...platform.registry
      .records()
      .filter((r) => r.history !== false)
      .map((r) => r.table),
    'history',
    'pgboss.job',
  ];
  const parts = tables.map(
    (t) =>
      `select '${t}' as name,
       count(*) || ' ' || md5(coalesce(string_agg(x::text, '|' order by x::text collate "C"), '')) as hash
       from ${t} x`,
  );
  const rows = await platform.store.query<{ name: string; hash: string }>(parts.join(' union all '));
  return Object.fromEntries(rows.map((row) => [row.name, row.hash]));
}
