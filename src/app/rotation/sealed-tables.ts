import { KEY_ID_BYTES, keyIdOf, type Cipher } from '../../kernel/security/cipher.ts';
import { ANSWER_PURPOSE } from '../../kernel/door/idempotency.ts';
import { protectionPurpose } from '../../kernel/records/save/protect.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import { arrayLiteral, type Db } from '../../kernel/database/store.ts';
import { FIELDS_PURPOSE } from '../../modules/documents/attachment/lib/upload-rows.ts';
import { CALL_PURPOSE, FAILURE_PURPOSE } from '../../surfaces/worker/envelope.ts';
import { CHECK_PURPOSE } from '../secret-key.ts';

/** A value that is kept sealed: how it is read and written, as hexadecimal text. */
interface SealedColumn {
  readonly purpose: string;
  /** SQL of the sealed value. */
  readonly read: string;
  /** SQL of its first bytes, which name the key; cheap where the value is large. */
  readonly head: string;
  /** SQL that sets it to `value`, which is SQL too, and a number's index to `index`. */
  readonly write: (value: string, index: string) => string;
  readonly indexed?: boolean;
}

/** Part of a table's key, with the type that it has and the least value. */
interface KeyColumn {
  readonly name: string;
  readonly type: 'bigint' | 'uuid' | 'text' | 'bytea' | 'timestamptz';
}

/** Where sealed values stand in the database. */
export interface SealedTable {
  /** What is told of it while it is sealed anew. */
  readonly name: string;
  readonly table: string;
  readonly key: readonly KeyColumn[];
  readonly columns: readonly SealedColumn[];
  /** Which of the table's rows may hold some; all where absent. */
  readonly rows?: string;
}

/** What one batch did. */
export interface ResealedBatch {
  readonly sealed: number;
  /** Rows whose value does not open although its key is there: each with its place and key. */
  readonly damaged: readonly string[];
  /** Where the next batch goes on; undefined where there is nothing behind. */
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
  // PostgreSQL breaks base64 into lines.
  write: (value) => write(`translate(encode(decode(${value}, 'hex'), 'base64'), E'\\n', '')`),
});

/** A column of sealed text; `as` is the column for which its value was sealed first. */
const text = (table: string, column: string, as = column): SealedColumn =>
  base64(column, `${table}.${as}`, (value) => `${column} = coalesce(${value}, ${column})`);

const jobPart = (column: string, purpose: string): SealedColumn =>
  base64(
    `(${column} ->> 'sealed')`,
    purpose,
    (value) => `${column} = coalesce(jsonb_set(${column}, '{sealed}', to_jsonb(${value})), ${column})`,
  );

/**
 * Every place of the database that holds sealed values. Whoever seals something new adds its place here, or a rotation would
 * leave it behind under a key that is given up; a test looks for what it forgot.
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
      name: 'answers kept for repeated calls',
      table: 'idempotency',
      key: [
        { name: 'personid', type: 'bigint' },
        { name: 'key', type: 'bytea' },
      ],
      columns: [bytea('answer', ANSWER_PURPOSE)],
    },
    {
      name: 'queued calls',
      table: 'pgboss.job',
      key: [
        { name: 'name', type: 'text' },
        { name: 'id', type: 'uuid' },
      ],
      columns: [
        jobPart('data', CALL_PURPOSE),
        jobPart('output', FAILURE_PURPOSE),
        jobPart('source_output', FAILURE_PURPOSE),
      ],
    },
    {
      name: 'secrets of webhooks',
      table: 'webhook',
      key: [{ name: 'webhookid', type: 'bigint' }],
      columns: [text('webhook', 'secret'), text('webhook', 'previoussecret', 'secret'), text('webhook', 'headers')],
    },
    {
      name: 'parameters of batches',
      table: 'importfilequeue',
      key: [{ name: 'importfilequeueid', type: 'bigint' }],
      columns: [text('importfilequeue', 'parameterxml')],
    },
    {
      name: 'masked values of scores',
      table: 'scoreitem',
      key: [{ name: 'scoreitemid', type: 'bigint' }],
      columns: [text('scoreitem', 'scoresealed')],
    },
    {
      name: 'secrets of storage locations',
      table: 'fileobject',
      key: [{ name: 'fileobjectid', type: 'bigint' }],
      columns: ['secretaccesskey', 'password', 'privatekey', 'passphrase'].map((column) => text('fileobject', column)),
    },
    {
      name: 'secrets of mail servers',
      table: 'mailoutbound',
      key: [{ name: 'mailoutboundid', type: 'bigint' }],
      columns: ['password', 'clientsecret', 'refreshtoken', 'signaturekey'].map((column) =>
        text('mailoutbound', column),
      ),
    },
    {
      name: 'mails that are not sent',
      table: 'maildelivery',
      key: [{ name: 'maildeliveryid', type: 'bigint' }],
      columns: [text('maildelivery', 'content')],
    },
    {
      name: 'codes by which users register',
      table: 'organizationlookup',
      key: [{ name: 'organizationid', type: 'bigint' }],
      columns: [text('organizationlookup', 'code')],
    },
    {
      name: 'fields of unfinished uploads',
      table: 'upload',
      key: [{ name: 'uploadguid', type: 'uuid' }],
      columns: [bytea('fields', FIELDS_PURPOSE)],
    },
  ];
}

/** Protected numbers of records, and what history keeps of them: each with its blind index. */
function socialSecurityNumberTables(registry: Registry): SealedTable[] {
  const columns = registry
    .records()
    .flatMap((record) =>
      [...record.columns.values()].filter((column) => column.field.kind === 'ssn' && column.table === record.table),
    );
  return columns.flatMap((column) => {
    const { table } = column;
    const [sealed, index] = [`${column.column}cipher`, `${column.column}index`];
    const kept = `(old ->> '${sealed}')`;
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
            // As JSON has bytes: \x and hexadecimal digits.
            read: `substr(${kept}, 3)`,
            head: `substr(${kept}, 3, ${2 + 2 * KEY_ID_BYTES})`,
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

/** Keys by their ids, as the conditions take them. The head of a base64 value has a byte more. */
function patternsOf(keys: readonly string[]): string {
  return arrayLiteral(keys.map((key) => `${key}%`));
}

/** How many rows of a place hold a value that one of these keys sealed. */
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

/**
 * Seals the next rows of a place anew, in a transaction of the caller's. Rows that somebody else is changing are left for the
 * next pass: waiting for them, several at a time, could end in a deadlock with him.
 */
export async function resealBatch(
  db: Db,
  cipher: Cipher,
  place: SealedTable,
  keys: readonly string[],
  after: string | undefined,
  rows: number,
): Promise<ResealedBatch> {
  const found = await db.query<{ at: unknown; sealed: (string | null)[] }>(findText(place, after !== undefined), [
    patternsOf(keys),
    rows,
    ...(after === undefined ? [] : [after]),
  ]);
  const damaged: string[] = [];
  const made = found.flatMap(({ at, sealed }) => {
    const anew = sealed.map((value, n) => (value === null ? null : resealValue(cipher, place.columns[n], value, keys)));
    if (anew.includes('damaged')) damaged.push(`${place.name} ${JSON.stringify(at)}`);
    return anew.includes('damaged')
      ? []
      : [
          {
            rowkey: at,
            anew: anew.map((one) => (one === null || one === 'damaged' ? null : one.value)),
            hash: indexOf(anew),
          },
        ];
  });
  if (made.length > 0) await db.query(writeText(place), [JSON.stringify(made)]);
  return { sealed: made.length, damaged, next: found.length < rows ? undefined : JSON.stringify(found.at(-1)?.at) };
}

/** One value under the key that seals now; null where it is left as it is, because none of the old keys sealed it. */
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
    // A ring that refuses to seal is no damage of the value.
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
  return `select jsonb_build_array(${place.key.map(keyText).join(', ')}) as at, jsonb_build_array(${place.columns.map((c) => `case when ${isUnder(c)} then ${c.read} end`).join(', ')}) as sealed
    from ${place.table} where ${conditionOf(place)} ${behind} order by ${names} limit $2::integer for no key update skip locked`;
}

function writeText(place: SealedTable): string {
  const same = place.key.map((part, n) => `${part.name} = ${fromJson(part, `fresh.rowkey ->> ${n}`)}`).join(' and ');
  return `update ${place.table} set ${place.columns.map((c, n) => c.write(`(fresh.anew ->> ${n})`, 'fresh.hash')).join(', ')}
    from jsonb_to_recordset($1::text::jsonb) as fresh(rowkey jsonb, anew jsonb, hash text) where ${same}`;
}
