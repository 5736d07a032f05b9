/** Two callers at once: whatever they do, the books are as if one had called after the other. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { client } from '../../support/client.ts';
import { generator } from '../../support/ledgers/card-numbers.ts';
import { testPlatform } from '../../support/platform.ts';

/** `npm run soak -- ledger-pairs` runs all pairs several times. */
const PAIRS = Number(process.env['CASEWRIGHT_TEST_LEDGER_PAIRS'] ?? 4);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? Date.now() % 1_000_000);

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('setting', { Setting: 'CallsPerMinuteMax', Value: '0' });
await p.platform.settings.fresh();
const { personId } = await p.user('keeper', 'Staff');
const clerk = client(p, (await p.user('clerk', 'Staff')).caller);
await admin.save('importfiletemplate', {
  ImportFileTemplate: 'Pairs',
  AppliesTo: 'LedgerItem',
  ImportEngine: 'DelimitedEngine',
  ParameterString: 'UseTransaction=true',
});

/** A ledger with an imported line, a time entry, a payment and a ledger below. */
interface Book {
  readonly ledger: number;
  readonly below: number;
  readonly fee: number;
  readonly entry: number;
  readonly payment: number;
  readonly batch: number;
}

async function newBook(): Promise<Book> {
  const [ledger, below] = [await made('ledger', {}), await made('ledger', {})];
  const path = '/api/importfile/importbyobject?Template=Pairs&PreTransform_FileName=lines.csv';
  const csv = `LedgerID,LedgerItem,AmountMoney,IsDebit,IsTotaled\n${ledger},Fee,20,true,true\n`;
  const sent = await p.admin.post(path, csv, { 'content-type': 'text/csv' });
  const [imported] = await admin.expectRows('ledgeritem/search', { LedgerID: ledger });
  const side = { IsDebit: true, IsTotaled: true };
  const work = { LedgerItem: 'Work', PersonID: personId, AmountMoney: '10', ...side };
  const entry = await made('ledgeritem', { LedgerID: ledger, ...work });
  await made('ledgeritem', { LedgerID: below, LedgerItem: 'Cost', AmountMoney: '7', ...side });
  await made('ledgeritem', { LedgerID: ledger, LedgerItem: 'Costs', ChildLedgerID: below, ...side });
  const paid = await admin.expectOk('ledger/applypayment', { LedgerID: ledger, AmountMoney: '5' });
  return {
    ledger,
    below,
    fee: Number(imported?.['LedgerItemID']),
    entry,
    payment: Number(paid['LedgerItemID']),
    batch: Number(/ID="(\d+)"/.exec(sent.text)?.[1]),
  };
}

async function made(module: 'ledger' | 'ledgeritem', fields: object): Promise<number> {
  return Number((await admin.save(module, fields))[module === 'ledger' ? 'LedgerID' : 'LedgerItemID']);
}

type Call = (book: Book) => readonly [route: string, parameters: object];
const calls: Readonly<Record<string, Call>> = {
  approve: ({ ledger: ID }) => ['ledger/approve', { ID }],
  post: ({ ledger: ID }) => ['ledger/post', { ID }],
  'post below': ({ below: ID }) => ['ledger/post', { ID }],
  lockitems: ({ ledger: ID }) => ['ledger/lockitems', { ID }],
  calculate: ({ ledger: ID }) => ['ledger/calculate', { ID }],
  exclude: ({ fee: ID }) => ['ledgeritem/excludefromtotal', { ID }],
  toggle: ({ fee: ID }) => ['ledgeritem/toggleistotaled', { ID }],
  'toggle both': ({ fee, entry }) => ['ledgeritem/toggleistotaled', { ID: [entry, fee] }],
  'approve entry': ({ entry: ID }) => ['ledgeritem/approve', { ID }],
  'reject entry': ({ entry: ID }) => ['ledgeritem/reject', { ID }],
  undoreview: ({ entry: ID }) => ['ledgeritem/undoreview', { ID }],
  'delete entry': ({ entry: ID }) => ['ledgeritem/delete', { ID }],
  'change fee': ({ fee: ID }) => ['ledgeritem/save', { ID, AmountMoney: '21' }],
  'move fee below': ({ fee: ID, below }) => ['ledgeritem/save', { ID, LedgerID: below }],
  'add below': ({ below }) => [
    'ledgeritem/save',
    { LedgerID: below, LedgerItem: 'New', AmountMoney: '3', IsDebit: true },
  ],
  applypayment: ({ ledger }) => ['ledger/applypayment', { LedgerID: ledger, AmountMoney: '30' }],
  'applypayment below': ({ below }) => ['ledger/applypayment', { LedgerID: below, AmountMoney: '7' }],
  reversepayment: ({ payment }) => ['ledger/reversepayment', { LedgerItemID: payment }],
  reversebatch: ({ batch }) => ['ledger/reversebatch', { ImportFileID: batch }],
  unlock: ({ ledger: ID }) => ['ledger/save', { ID, IsLocked: false }],
  'below itself': ({ ledger, below }) => ['ledgeritem/save', { LedgerID: below, ChildLedgerID: ledger }],
};

/** What a call answered, without what differs between books. */
async function outcomeOf(call: Call, book: Book, by: typeof admin): Promise<string> {
  const { status, text } = await by.send(...call(book));
  return status === 200 ? 'done' : `${status} ${/"Code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 200)}`;
}

/** The state of a book without IDs and times, and whether its balances are the sums of its lines. */
async function stateOf({ ledger, below }: Book): Promise<string> {
  const ids = `{${ledger},${below}}`;
  const lines = await p.platform.store.query(
    `with recursive ours (id, place) as (
       select l.ledgerid, case l.ledgerid when $2::bigint then 'main' else 'below' end
       from ledger l where l.ledgerid = any($1::bigint[])
       union select i.childledgerid, 'payment' from ours o join ledgeritem i on i.ledgerid = o.id
       where i.childledgerid is not null and i.childledgerid <> all($1::bigint[])
     )
     select o.place, i.ledgeritem, i.amountmoney::text, i.amountmoneycountered::text, i.isdebit, i.istotaled,
       i.islocked, i.status, i.paymentrole, i.paiddate is not null as paid, i.posteddate is not null as posted,
       r.ledgeritem as "for", r.paymentrole as "forRole", i.reviewdate is not null as reviewed
     from ours o join ledgeritem i on i.ledgerid = o.id
     left join ledgeritem r on r.ledgeritemid = i.referenceledgeritemid
     order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14`,
    [ids, ledger],
  );
  const ledgers = await p.platform.store.query<{ balance: string; sum: string }>(
    `select l.status, l.islocked, l.posteddate is not null as posted, l.completed is not null as completed,
       l.balance::text, l.balanceadjusted::text,
       (select coalesce(sum(case when i.isdebit then i.amountmoney else -i.amountmoney end), 0)::text
        from ledgeritem i where i.ledgerid = l.ledgerid) as sum
     from ledger l where l.ledgerid = any($1::bigint[]) order by l.ledgerid`,
    [ids],
  );
  for (const { balance, sum } of ledgers) assert.equal(Number(balance), Number(sum), 'a balance is not the sum');
  return JSON.stringify([lines, ledgers]);
}

/** Runs two calls after or beside each other on a new book. Returns what they answered and made of it. */
async function result(
  first: Call,
  second: Call,
  how: 'in turn' | 'swapped' | 'at once',
  before?: Call,
): Promise<string> {
  const book = await newBook();
  if (before) await outcomeOf(before, book, admin);
  let answers: readonly [string, string];
  if (how === 'at once') answers = await Promise.all([outcomeOf(first, book, admin), outcomeOf(second, book, clerk)]);
  else if (how === 'in turn') answers = [await outcomeOf(first, book, admin), await outcomeOf(second, book, clerk)];
  else {
    const late = await outcomeOf(second, book, clerk);
    answers = [await outcomeOf(first, book, admin), late];
  }
  return `${answers.join(' / ')}\n${await stateOf(book)}`;
}

it('LED-06 LED-08 LED-12 LED-14 two calls at once leave a ledger as if one had followed the other', async () => {
  const from = generator(SEED);
  const names = Object.keys(calls);
  for (let n = 0; n < PAIRS; n++) {
    // A soak run meets all pairs, then all again after another call.
    const at = PAIRS >= names.length ** 2 ? n : from.below(names.length ** 2);
    const [one, two] = [names[at % names.length] ?? '', names[Math.floor(at / names.length) % names.length] ?? ''];
    const before = n % 3 === 0 ? undefined : from.one(['approve entry', 'applypayment', 'lockitems', 'reject entry']);
    const run = (how: Parameters<typeof result>[2]): Promise<string> =>
      result(calls[one] as Call, calls[two] as Call, how, before === undefined ? undefined : calls[before]);
    const orders = [await run('in turn'), await run('swapped')];
    const atOnce = await run('at once');
    assert.ok(
      orders.includes(atOnce),
      `${one} and ${two} after ${before}, seed ${SEED}:\n${[atOnce, ...orders].join('\n')}`,
    );
  }
});
