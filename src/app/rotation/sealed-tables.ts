import { KEY_ID_BYTES, keyIdOf, type Cipher } from '../../kernel/security/cipher.ts';
import { ANSWER_PURPOSE } from '../../kernel/door/idempotency.ts';
import { protectionPurpose } from '../../kernel/records/save/protect.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import { arrayLiteral, type Db } from '../../kernel/database/store.ts';
import { FIELDS_PURPOSE } from '../../modules/documents/attachment/lib/upload-rows.ts';
import { sealedJobs } from '../../surfaces/shared/pgboss-sql.ts';
import { CALL_PURPOSE, FAILURE_PURPOSE } from '../../surfaces/worker/envelope.ts';
import { CHECK_PURPOSE } from '../secret-key.ts';

/** A sealed value of a table, read and written as hexadecimal text. */
interface SealedColumn {
  readonly purpose: string;
  /** SQL of the sealed value. */
  readonly read: string;
  /** SQL of its first bytes, which name the key; cheap even for large values. */
  readonly head: string;
  /** SQL that sets it to the SQL expression `value`, and the blind index to `index`. */
  readonly write: (value: string, index: string) => string;
  readonly indexed?: boolean;
}

/** A column of a table's key, and its type. */
interface KeyColumn {
  readonly name: string;
  readonly type: 'bigint' | 'uuid' | 'text' | 'bytea' | 'timestamptz';
}

/** A table with sealed values. */
export interface SealedTable {
  /** Its name in messages. */
  readonly name: string;
  readonly table: string;
  readonly key: readonly KeyColumn[];
  readonly columns: readonly SealedColumn[];
  /** Condition on rows that may have sealed values; default: all. */
  readonly rows?: string;
}

/** Result of one batch. */
export interface ResealedBatch {
  readonly sealed: number;
  /** Rows with a value that does not open although its key is present: table and key. */
  readonly damaged: readonly string[];
  /** Where the next batch continues; undefined at the end. */
  readonly next: string | undefined;
}

const bytea = (column: string, purpose: string): SealedColumn => ({
  purpose,
  read: `encode(${column}, 'hex')`,
  head: `encode(substring(${column} for ${1 + KEY_ID_BYTES}), 'hex')`,
  write: (value) => `${column} = coalesce(decode(${value}, 'hex'), ${column})`,
});

const base64 = (read: string, purpose: string, write: (value: string) => string): SealedColumn => ({
  purpose,
  read: `encode(decode(${read}, 'base64'), 'hex')`,
  head: `case when ${read} ~ '^[A-Za-z0-9+/]{8}' then encode(decode(left(${read}, 8), 'base64'), 'hex') end`,
  // PostgreSQL wraps base64 into lines.
  write: (value) => write(`translate(encode(decode(${value}, 'hex'), 'base64'), E'\\n', '')`),
});

/** A column of sealed text; `as` is the column that its value was first sealed for. */
const text = (table: string, column: string, as = column): SealedColumn =>
  base64(column, `${table}.${as}`, (value) => `${column} = coalesce(${value}, ${column})`);

const jobPart = (column: string, purpose: string): SealedColumn =>
  base64(
    `(${column} ->> 'sealed')`,
    purpose,
    (value) => `${column} = coalesce(jsonb_set(${column}, '{sealed}', to_jsonb(${value})), ${column})`,
  );

/**
 * Returns every table with sealed values. Code that seals anything new must add its table here, or a rotation would
 * leave it under a retired key; a test finds tables that are missing here.
 */
export function sealedTables(registry: Registry): SealedTable[] {
  return [
    {
      name: 'the check of the key',
      table: 'secretkeycheck',
      key: [{ name: "'check'::text", type: 'text' }],
      columns: [bytea('sealed', CHECK_PURPOSE)],
    },
    ...socialSecurityNumberTables(registry),
    {
      name: 'stored answers of repeated calls',
      table: 'idempotency',
      key: [
        { name: 'personid', type: 'bigint' },
        { name: 'key', type: 'bytea' },
      ],
      columns: [bytea('answer', ANSWER_PURPOSE)],
    },
    {
      name: 'queued calls',
      table: sealedJobs.table,
      key: sealedJobs.key,
      columns: [
        jobPart(sealedJobs.callColumn, CALL_PURPOSE),
        ...sealedJobs.failureColumns.map((column) => jobPart(column, FAILURE_PURPOSE)),
      ],
    },
    ...sealedTextTables,
    {
      name: 'fields of unfinished uploads',
      table: 'upload',
      key: [{ name: 'uploadguid', type: 'uuid' }],
      columns: [bytea('fields', FIELDS_PURPOSE)],
    },
  ];
}

/** Tables with columns of sealed text. */
const sealedTextTables: readonly SealedTable[] = [
  {
    name: 'secrets of webhooks',
    table: 'webhook',
    key: idKey('webhook'),
    columns: [text('webhook', 'secret'), text('webhook', 'previoussecret', 'secret'), text('webhook', 'headers')],
  },
  textTable('parameters of batches', 'importfilequeue', ['parameterxml']),
  textTable('corrections of import rows', 'importcorrection', ['changes']),
  textTable('masked values of scores', 'scoreitem', ['scoresealed']),
  textTable('secrets of storage locations', 'fileobject', [
    'secretaccesskey',
    'password',
    'privatekey',
    'passphrase',
    'secrets',
  ]),
  textTable('secrets of mail servers', 'mailoutbound', [
    'password',
    'clientsecret',
    'refreshtoken',
    'signaturekey',
    'secrets',
  ]),
  textTable('secrets of mailboxes', 'mailinbound', ['password', 'secrets']),
  {
    name: 'unsent mails',
    table: 'mailcontent',
    key: idKey('mailcontent'),
    // Sealed for the table that they were first stored in.
    columns: [base64('content', 'maildelivery.content', (value) => `content = coalesce(${value}, content)`)],
  },
  textTable('secrets of mail houses', 'mailhouse', ['secrets']),
  textTable('secrets of payment gateways', 'paymentprovider', ['apikey', 'webhooksecret', 'secrets']),
  {
    name: 'registration codes',
    table: 'organizationlookup',
    key: idKey('organization'),
    columns: [text('organizationlookup', 'code')],
  },
];

function textTable(name: string, table: string, columns: readonly string[]): SealedTable {
  return { name, table, key: idKey(table), columns: columns.map((column) => text(table, column)) };
}

function idKey(table: string): readonly KeyColumn[] {
  return [{ name: `${table}id`, type: 'bigint' }];
}

/** Returns Social Security numbers of records and of their history, each with its blind index. */
function socialSecurityNumberTables(registry: Registry): SealedTable[] {
  const columns = registry
    .records()
    .flatMap((record) =>
      [...record.columns.values()].filter((column) => column.field.kind === 'ssn' && column.table === record.table),
    );
  return columns.flatMap((column) => {
    const { table } = column;
    const [sealed, index] = [`${column.column}cipher`, `${column.column}index`];
    const oldValue = `(old ->> '${sealed}')`;
    return [
      {
        name: `numbers of ${table}`,
        table,
        key: [{ name: `${table}id`, type: 'bigint' as const }],
        columns: [
          {
            ...bytea(sealed, protectionPurpose(column)),
            indexed: true,
            write: (value: string, hash: string) =>
              `${sealed} = decode(${value}, 'hex'), ${index} = decode(${hash}, 'hex')`,
          },
        ],
      },
      {
        name: `numbers of ${table} in history`,
        table: 'history',
        rows: `tablename = '${table}' and old ? '${sealed}'`,
        key: [
          { name: 'recordid', type: 'bigint' as const },
          { name: 'at', type: 'timestamptz' as const },
          { name: 'historyid', type: 'bigint' as const },
        ],
        columns: [
          {
            purpose: protectionPurpose(column),
            indexed: true,
            // In JSON, bytes are \x and hexadecimal digits.
            read: `substr(${oldValue}, 3)`,
            head: `substr(${oldValue}, 3, ${2 + 2 * KEY_ID_BYTES})`,
            write: (value: string, hash: string) =>
              `old = old || jsonb_build_object('${sealed}', '\\x' || ${value}, '${index}', '\\x' || ${hash})`,
          },
        ],
      },
    ];
  });
}

const isUnder = (column: SealedColumn): string =>
  `(${column.head} like '01%' and substr(${column.head}, 3) like any($1::text[]))`;

/** Returns LIKE patterns of key ids. The head of a base64 value has one more byte. */
function patternsOf(keys: readonly string[]): string {
  return arrayLiteral(keys.map((key) => `${key}%`));
}

/** Counts the rows of a table with a value that one of these keys sealed. */
export async function countSealedUnder(db: Db, place: SealedTable, keys: readonly string[]): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*)::integer as n from ${place.table} where ${conditionOf(place)}`,
    [patternsOf(keys)],
  );
  return row?.n ?? 0;
}

function conditionOf(place: SealedTable): string {
  return `${place.rows === undefined ? '' : `${place.rows} and `}(${place.columns.map(isUnder).join(' or ')})`;
}

/** A batch of a table to reseal. */
export interface BatchRequest {
  readonly cipher: Cipher;
  readonly table: SealedTable;
  readonly keys: readonly string[];
  /** Where the previous batch ended. */
  readonly after: string | undefined;
  /** Most rows of the batch. */
  readonly rows: number;
}

/**
 * Reseals the next rows of a table, in the caller's transaction. Skips rows that others have locked: waiting for
 * several of them could deadlock.
 */
export async function resealBatch(db: Db, { cipher, table, keys, after, rows }: BatchRequest): Promise<ResealedBatch> {
  const found = await db.query<{ at: unknown; sealed: (string | null)[] }>(findText(table, after !== undefined), [
    patternsOf(keys),
    rows,
    ...(after === undefined ? [] : [after]),
  ]);
  const damaged: string[] = [];
  const made = found.flatMap(({ at, sealed }) => {
    const values = sealed.map((value, n) =>
      value === null ? null : resealValue(cipher, table.columns[n], value, keys),
    );
    if (values.includes('damaged')) damaged.push(`${table.name} ${JSON.stringify(at)}`);
    return values.includes('damaged')
      ? []
      : [
          {
            rowkey: at,
            anew: values.map((one) => (one === null || one === 'damaged' ? null : one.value)),
            hash: indexOf(values),
          },
        ];
  });
  if (made.length > 0) await db.query(writeText(table), [JSON.stringify(made)]);
  return { sealed: made.length, damaged, next: found.length < rows ? undefined : JSON.stringify(found.at(-1)?.at) };
}

/** Reseals one value; null if none of the old keys sealed it. */
function resealValue(
  cipher: Cipher,
  column: SealedColumn | undefined,
  hex: string,
  keys: readonly string[],
): ResealedValue {
  const bytes = Buffer.from(hex, 'hex');
  const id = keyIdOf(bytes)?.toString('hex');
  if (!column || id === undefined || !keys.includes(id)) return null;
  try {
    const plain = cipher.open(column.purpose, bytes);
    const value = cipher.seal(column.purpose, plain).toString('hex');
    return column.indexed
      ? { value, index: cipher.blindIndex(column.purpose, plain.toString()).toString('hex') }
      : { value };
  } catch (error) {
    // A ring that refuses to seal does not mean a damaged value.
    if (error instanceof Error && 'code' in error && error.code === 'UNAVAILABLE') throw error;
    return 'damaged';
  }
}

type ResealedValue = { readonly value: string; readonly index?: string } | 'damaged' | null;

function indexOf(anew: readonly ResealedValue[]): string | null {
  for (const one of anew) if (one !== null && one !== 'damaged' && one.index !== undefined) return one.index;
  return null;
}

function keyText({ name, type }: KeyColumn): string {
  return type === 'bytea' ? `encode(${name}, 'hex')` : name;
}

function fromJson({ type }: KeyColumn, json: string): string {
  return type === 'bytea' ? `decode(${json}, 'hex')` : `(${json})::${type}`;
}

function findText(place: SealedTable, goesOn: boolean): string {
  const names = place.key.map((part) => part.name).join(', ');
  const behind = goesOn
    ? `and (${names}) > (${place.key.map((part, n) => fromJson(part, `$3::jsonb ->> ${n}`)).join(', ')})`
    : '';
  const sealed = place.columns.map((c) => `case when ${isUnder(c)} then ${c.read} end`);
  return `select jsonb_build_array(${place.key.map(keyText).join(', ')}) as at,
      jsonb_build_array(${sealed.join(', ')}) as sealed
    from ${place.table}
    where ${conditionOf(place)} ${behind}
    order by ${names}
    limit $2::integer
    for no key update skip locked`;
}

function writeText(place: SealedTable): string {
  const same = place.key.map((part, n) => `${part.name} = ${fromJson(part, `fresh.rowkey ->> ${n}`)}`).join(' and ');
  const changes = place.columns.map((c, n) => c.write(`(fresh.anew ->> ${n})`, 'fresh.hash'));
  return `update ${place.table}
    set ${changes.join(', ')}
    from jsonb_to_recordset($1::text::jsonb) as fresh(rowkey jsonb, anew jsonb, hash text)
    where ${same}`;
}
