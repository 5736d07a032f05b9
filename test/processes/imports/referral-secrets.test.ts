import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import postgres from 'postgres';
import { foreclosure, borrower, nextLoan, readAnswer, updateOf } from '../../support/imports/referrals.ts';
import { ADMINISTRATOR_KEY, call, startServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';

/**
 * SSNs that were never issued, each planted in a different place. The last four digits may be shown, so the search also
 * covers the digits before them.
 */
const planted = [
  '900515253',
  '901-52-5354',
  '666535455',
  '902-54-5556',
  '903555657',
  '904-56-5758',
  '905575859',
  '906-58-5960',
  '907596061',
  '908-60-6162',
] as const;

/** What would reveal an SSN: with hyphens, without, and its first five digits in either form. */
function forms(number: string): string[] {
  const digits = number.replace(/\D/g, '');
  return [
    digits,
    `${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`,
    `${digits.slice(0, 3)} ${digits.slice(3, 5)} ${digits.slice(5)}`,
    `${digits.slice(0, 3)}-${digits.slice(3, 5)}-`,
  ];
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

test(
  'KRN-21 REF-02 no SSN of a referral is stored in clear text anywhere: database, write-ahead log, files, logs, ' +
    'answers',
  { timeout: 120_000 },
  async (t) => {
    // size: one server and one submission, searched in every place where its numbers could be
    const folder = await startedDataFolder(t);
    const server = await startServerProcess(t, { env: { CASEWRIGHT_DATA: folder, CASEWRIGHT_LOG_LEVEL: 'debug' } });
    const { url } = server;
    const organization = /"OrganizationID":(\d+)/.exec(
      await (await call(url, '/api/organization/save?Output=Json', 'Organization=Secret+Law')).text(),
    )?.[1];
    await call(url, '/api/setting/save', 'Setting=InitialPasswordDays&Value=0');
    assert.equal(
      (
        await call(
          url,
          '/api/person/save',
          `Person=secret.firm&Password=a+password+of+it&Roles=Partner&OrganizationID=${organization}`,
        )
      ).status,
      200,
    );
    const headers = {
      Authorization: `Basic ${Buffer.from('secret.firm:a password of it').toString('base64')}`,
      SOAPAction: 'import',
      'Content-Type': 'text/xml; charset=utf-8',
    };
    const answers: string[] = [];
    const send = async (operation: string, body: string, extra: Record<string, string> = {}): Promise<number> => {
      const response = await fetch(`${url}/api/import/${operation}`, {
        method: 'POST',
        headers: { ...headers, ...extra },
        body,
      });
      answers.push(await response.text());
      return response.status;
    };
    const [a, b, c, d, e, f, g, h, i, j] = planted;
    const loan = nextLoan();
    const other = nextLoan();
    assert.equal(
      await send(
        'foreclosure',
        foreclosure({
          loan,
          subscriberId: 'secret',
          borrowers: [borrower(1, 'Taken', 'One', a), borrower(2, 'Taken', 'Two', b)],
        }),
        { 'Idempotency-Key': 'secret-1' },
      ),
      200,
    );
    assert.equal(
      await send(
        'foreclosure',
        foreclosure({ loan, subscriberId: 'secret', borrowers: [borrower(1, 'Changed', 'One', c)] }),
      ),
      200,
    );
    assert.equal(
      await send(
        'foreclosureupdate',
        updateOf(
          'secret',
          `<Loan><Borrowers><BorrowerItem><USSSN>${d}</USSSN><Sequence>2</Sequence></BorrowerItem></Borrowers></Loan>`,
        ),
      ),
      200,
    );
    assert.equal(
      await send('foreclosure', foreclosure({ loan: 'ABC', borrowers: [borrower(1, 'Failed', 'Item', e)] })),
      500,
      'an item that fails',
    );
    assert.equal(
      await send(
        'foreclosure',
        foreclosure({ loan: other, borrowers: [borrower(1, 'Not a', 'Number', `${f}x`.slice(0, 12))] }),
      ),
      500,
      'a value that is too long',
    );
    assert.equal(
      await send(
        'foreclosure',
        foreclosure({ borrowers: [borrower(1, 'Bad', 'Number', `${g.slice(0, 8)}z${g.slice(8)}`)] }),
      ),
      500,
      'a value that is not a number: its nested record fails',
    );
    assert.equal(
      await send(
        'foreclosure',
        foreclosure({ borrowers: [borrower(1, 'Order', 'Less', h)] }).replace('<LastName>Order</LastName>', ''),
      ),
      500,
      'a document that breaks the schema',
    );
    assert.equal(
      await send('foreclosure', foreclosure({ borrowers: [borrower(1, 'Mal', 'Formed', i)] }).replace('</USSSN>', '')),
      500,
      'a document that is not well-formed',
    );
    assert.equal(await send('nosuchtemplate', foreclosure({ borrowers: [borrower(1, 'Un', 'Known', j)] })), 500);
    assert.equal(
      await send('foreclosure', foreclosure({ borrowers: [borrower(1, 'Form', 'Encoded', j)] }), {
        'Content-Type': 'application/x-www-form-urlencoded',
      }),
      500,
    );
    const [first] = answers;
    const results = readAnswer(200, first ?? '');
    assert.match(first ?? '', /XXX-XX-5253/);
    for (const path of [
      `/api/import/result?ID=${results.id}`,
      '/api/importlog/search?Output=Json',
      '/api/importfile/search?Output=Json',
      '/api/contact/search?Output=Json',
      '/api/errorlog/search?Output=Json',
      '/api/securitylog/search?Output=Json',
      `/api/foreclosure/summary?ID=${results.caseId}`,
      `/api/loan/summary?Loan=${loan}`,
    ])
      answers.push(await (await call(url, path)).text());
    answers.push(await (await call(url, '/api/contact/search?Output=Json', `USSSN=${a}`)).text());
    answers.push(await (await call(url, '/api/contact/search?Output=Csv', `USSSN=${c}`)).text());
    const contact = results.of('Contact')[0]?.objectId;
    answers.push(
      await (
        await fetch(`${url}/api/contact/history?ID=${contact}&Output=Json`, {
          headers: { 'X-ApiKey': ADMINISTRATOR_KEY },
        })
      ).text(),
    );
    const searched = answers.filter((text) => text.includes('Changed'));
    assert.ok(searched.length > 0, 'the answers contain the records');

    const dump = await dumpOf(folder);
    assert.match(dump, /"usssn4": ?"5455"/, 'the dump contains the records');
    assert.equal(await server.stop(), 0);
    const hidden = planted.flatMap((number) => forms(number).map((form) => ({ number, form })));
    for (const { number, form } of hidden) {
      for (const text of answers)
        assert.ok(!text.includes(form), `an answer reveals ${number}: ${text.slice(0, 2_000)}`);
      assert.ok(
        !dump.includes(form),
        `the database reveals ${number}: …` +
          dump.slice(Math.max(0, dump.indexOf(form) - 300), dump.indexOf(form) + 20),
      );
      assert.ok(!server.log().includes(form) && !server.out().includes(form), `the log reveals ${number}`);
    }
    let files = 0;
    for (const path of filesBelow(folder)) {
      const bytes = readFileSync(path).toString('latin1');
      files++;
      for (const { number, form } of hidden)
        if (form.length > 7) assert.ok(!bytes.includes(form), `${path} contains ${number}`);
    }
    assert.ok(files > 100);
  },
);

/** Every row of every table as text. */
async function dumpOf(folder: string): Promise<string> {
  const host = join(folder, 'postgres/socket');
  const sql = postgres({
    host,
    path: `${host}/.s.PGSQL.5432`,
    user: 'casewright',
    database: 'casewright',
    max: 1,
    onnotice: () => undefined,
  });
  try {
    const tables = await sql<{ name: string }[]>`select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname in ('public', 'pgboss')`;
    const parts: string[] = [];
    for (const { name } of tables)
      for (const { row } of await sql.unsafe<{ row: string }[]>(`select to_jsonb(t)::text as row from ${name} t`))
        parts.push(`${name} ${row}`);
    return parts.join('\n');
  } finally {
    await sql.end();
  }
}
