import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { atEnd } from '../../support/at-end.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { command, commandProcess } from '../../support/cli/command.ts';

const on = await testPlatform({ after });
const { key } = await on.user('command line', 'Administrator');
const env = { CASEWRIGHT_URL: on.url, CASEWRIGHT_API_KEY: key };
const folder = temporaryFolder({ after });

/** Makes a call and returns its JSON answer. */
async function called(...args: string[]): Promise<Record<string, unknown>> {
  const ended = await command(['call', ...args], { env });
  assert.equal(ended.code, 0, ended.error);
  return JSON.parse(ended.out) as Record<string, unknown>;
}

interface Contacts {
  readonly ContactCollection: { readonly ContactItem: readonly { readonly LastName: string }[] };
}

const lastNames = async (signature: string, ...more: string[]): Promise<string[]> =>
  ((await called(signature, ...more)) as unknown as Contacts).ContactCollection.ContactItem.map(
    (contact) => contact.LastName,
  );

test('KRN-08 a signature on the command line has the syntax of configuration: names regardless of case, encoded values, comparisons, braces', async () => {
  const saved = await called('Contact/Save?LastName=Doe+%26+Sons&FirstName=Jane');
  assert.equal(saved['LastName'], 'Doe & Sons');
  assert.deepEqual(await lastNames('contact/search?lastname=Doe%20%26%20Sons'), ['Doe & Sons']);
  assert.equal((await called(`/api/contact/select/${String(saved['ContactID'])}`))['FirstName'], 'Jane');
  for (const sequence of [100, 900]) await called(`Contact/Save?LastName=Number${sequence}&Sequence=${sequence}`);
  assert.deepEqual(await lastNames('Contact/Search?Sequence>=500'), ['Number900']);
  assert.deepEqual(await lastNames('Contact/Search?Sequence<{Bound}', '--set', 'Bound=500'), ['Number100']);
  assert.deepEqual(await lastNames('Contact/Search?LastName={Name}', '--set', 'Name=Doe & Sons'), ['Doe & Sons']);
});

test('KRN-08 what is filled in is a value: it cannot add parameters or name another operation', async () => {
  await called('Contact/Save?LastName=Injected');
  assert.deepEqual(await lastNames('Contact/Search?LastName={Name}', '--set', 'Name=x&LastName=Injected'), []);
  assert.deepEqual(await lastNames('Contact/Search?FirstName={Name}', '--set', 'Name={LastName}'), []);
  const named = await command(['call', 'Contact/{What}', '--set', 'What=delete'], { env });
  assert.equal(named.code, 2);
  assert.match(named.error, /braces fill in values only/);
});

test('KRN-02 --queue queues the call, of one record and below a parent too', async () => {
  const organization = await called('Organization/Save?Organization=Queued+Parent');
  const id = String(organization['OrganizationID']);
  for (const signature of [
    'Contact/Save?LastName=Queued',
    `Organization/Select/${id}`,
    `Organization/${id}/Contact/Save?LastName=Below`,
    'Contact/queue/Save?LastName=Queued',
  ]) {
    const message = await called(signature, '--queue');
    assert.match(String(message['QueueMessageID']), /^[0-9a-f-]{36}$/, signature);
    const [row] = await on.platform.store.query<{ route: string }>(
      "select data ->> 'route' as route from pgboss.job where id = $1::uuid",
      [message['QueueMessageID']],
    );
    assert.ok(row, signature);
  }
});

test('a body comes from a file or from standard input, and parameters can accompany it', async () => {
  const file = join(folder, 'contact.json');
  writeFileSync(file, JSON.stringify({ LastName: 'From file', FirstName: 'Overruled' }));
  assert.equal((await called('Contact/Save?FirstName=Query', '--file', file))['LastName'], 'From file');
  const piped = await command(['call', 'Contact/Save?FirstName=Query', '--file', '-', '--type', 'text/xml'], {
    env,
    input: '<ContactItem><LastName>From pipe</LastName></ContactItem>',
  });
  assert.equal(piped.code, 0, piped.error);
  const saved = JSON.parse(piped.out) as Record<string, unknown>;
  assert.deepEqual([saved['LastName'], saved['FirstName']], ['From pipe', 'Query']);
});

test('the output format: Json by default, else what --output or the signature says', async () => {
  const answered = async (...args: string[]): Promise<string> => (await command(['call', ...args], { env })).out;
  assert.match(await answered('Role/Search'), /^\{.*\}\n$/s);
  assert.match(await answered('Role/Search', '--output', 'Xml'), /^<.*>\n$/s);
  assert.match(await answered('Role/Search?Output=Csv&SqlColumns=Role'), /^Role,.*\r\nAdministrator,/);
});

test('a document is sent from a file and written as it was received, to the last byte', async () => {
  const sample = join(import.meta.dirname, '../../../samples/referrals/northgate-law-001-judicial.xml');
  const { key: firmKey } = await on.firm('Northgate Law');
  const sent = await command(['call', 'Import/Foreclosure', '--file', sample], {
    env: { ...env, CASEWRIGHT_API_KEY: firmKey },
  });
  assert.equal(sent.code, 0, sent.error);
  assert.match(sent.out, /<ImportResults/);
  const found = (await called('Attachment/Search?Object=ImportFile')) as unknown as {
    AttachmentCollection: { AttachmentItem: { AttachmentID: number }[] };
  };
  const ended = await command(
    ['call', `Attachment/Download?ID=${found.AttachmentCollection.AttachmentItem[0]?.AttachmentID}`],
    { env },
  );
  assert.equal(ended.code, 0, ended.error);
  assert.ok(ended.bytes.equals(readFileSync(sample)));
  const failed = await command(['call', 'Import/Foreclosure', '--file', '-', '--type', 'text/xml'], {
    env: { ...env, CASEWRIGHT_API_KEY: firmKey },
    input: '<ImportFileItem',
  });
  assert.deepEqual([failed.code, failed.out], [1, '']);
  assert.match(failed.error, /<ImportResults/);
});

test('an error is on standard error with exit code 1; a usage error is 2; no answer is 3', async () => {
  const refused = await command(['call', 'Contact/Save?NoSuchColumn=1'], { env });
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.equal((JSON.parse(refused.error) as { Error: { Code: string } }).Error.Code, 'UNKNOWN_PARAMETER');
  assert.equal(
    (await command(['call', 'Contact/Search'], { env: { CASEWRIGHT_URL: on.url } })).code,
    1,
    'no user is signed in',
  );
  const cases: [string[], RegExp][] = [
    [['call'], /expected one signature/],
    [['call', 'Contact'], /expected \{ClassName\}\/\{Operation\}/],
    [['call', 'a/b', 'c/d'], /expected one signature/],
    [['call', 'Contact/Search?LastName={Name}'], /\{Name\} has no value/],
    [['call', 'Contact/Search', '--set', 'Name=1'], /has no \{Name\}/],
    [['call', 'Contact/Search', '--ouptut', 'Json'], /unknown option --ouptut\. Did you mean --output\?/],
    [['call', 'Contact/Search', '--output'], /--output: expected/],
    [['call', 'Contact/Search', '--queue=yes'], /--queue takes no value/],
    [['call', 'Contact/Search', '--url', on.url, '--url', on.url], /--url may be given only once/],
    [['call', 'Contact/Save', '--file', join(folder, 'absent.json')], /cannot be read: ENOENT/],
    [['call', 'Contact/Save', '--file', '-'], /name it with --type/],
    [['call', 'Contact/Save', '--type', 'text/xml'], /--type: requires --file/],
    [['cal', 'Contact/Save'], /unknown command cal\. Did you mean call\?/],
  ];
  for (const [args, words] of cases) {
    const ended = await command(args, { env });
    assert.equal(ended.code, 2, args.join(' '));
    assert.match(ended.error, words);
    assert.match(ended.error, /See: casewright help/);
  }
  const gone = await command(['call', 'Contact/Search'], { env: { ...env, CASEWRIGHT_URL: 'http://127.0.0.1:1' } });
  assert.equal(gone.code, 3);
  assert.match(gone.error, /no response from http:\/\/127\.0\.0\.1:1/);
});

test('keys and passwords come from the environment or from files, never from arguments', async () => {
  const file = join(folder, 'key');
  writeFileSync(file, `${key}\n`);
  const { CASEWRIGHT_URL } = env;
  assert.equal(
    (await command(['call', 'Role/Search'], { env: { CASEWRIGHT_URL, CASEWRIGHT_API_KEY_FILE: file } })).code,
    0,
  );
  assert.equal(
    (await command(['call', 'Role/Search', '--key-file', file], { env: { ...env, CASEWRIGHT_API_KEY: 'wrong' } })).code,
    0,
    'the option takes precedence',
  );
  for (const option of ['--key', '--api-key', '--password'])
    assert.equal((await command(['call', 'Role/Search', option, key], { env })).code, 2, option);
  const as = (password: string) =>
    command(['call', 'Role/Search', '--as', 'command line'], {
      env: { CASEWRIGHT_URL, CASEWRIGHT_PASSWORD: password, CASEWRIGHT_API_KEY: 'wrong' },
    });
  assert.equal((await as('password of command line')).code, 0);
  assert.equal((await as('another')).code, 1);
  assert.equal((await command(['call', 'Role/Search', '--as', 'command line'], { env })).code, 2);
  assert.equal(
    (await command(['call', 'Role/Search'], { env: { ...env, CASEWRIGHT_API_KEY: `${key}\r\nX-Other: 1` } })).code,
    2,
  );
});

test('the key is neither sent unencrypted to another machine nor to the target of a redirect', async (t) => {
  for (const url of [
    'http://casewright.example',
    'http://10.0.0.1:8080',
    'http://127.0.0.1.example',
    'http://localhost.example',
  ]) {
    const ended = await command(['call', 'Role/Search'], { env: { ...env, CASEWRIGHT_URL: url } });
    assert.equal(ended.code, 2, url);
    assert.match(ended.error, /use https:\/\//);
  }
  for (const url of ['ftp://x', 'nonsense', 'http://name:word@127.0.0.1'])
    assert.equal((await command(['status'], { env: { CASEWRIGHT_URL: url } })).code, 2, url);
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-apikey'] as string | undefined);
    response.writeHead(307, { Location: `${on.url}${request.url ?? ''}` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => void server.close());
  const { port } = server.address() as { port: number };
  const ended = await command(['call', 'Role/Search'], { env: { ...env, CASEWRIGHT_URL: `http://127.0.0.1:${port}` } });
  assert.equal(ended.code, 3);
  assert.deepEqual(seen, [key], 'one request, and none to the other address');
});

test('the installed command: its streams, its exit codes, its version, and a reader that stops reading', async () => {
  const saved = await commandProcess(['call', 'Contact/Save', '--file', '-', '--type', 'application/json'], {
    env,
    input: '{"LastName":"Piped"}',
  });
  assert.deepEqual([saved.code, saved.error], [0, '']);
  assert.equal((JSON.parse(saved.out) as { LastName: string }).LastName, 'Piped');
  const [refused, usage, version, help] = await Promise.all([
    commandProcess(['call', 'Contact/Nothing'], { env }),
    commandProcess(['nothing']),
    commandProcess(['--version']),
    commandProcess([]),
  ]);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.error, /UNKNOWN_OPERATION/);
  assert.equal(usage.code, 2);
  const unread = await commandProcess(['operations'], { env, isRead: false });
  assert.deepEqual([unread.code, unread.error], [0, '']);
  assert.match(version.out, /^casewright \d+\.\d+\.\d+\n$/);
  assert.equal(help.code, 0);
  for (const name of ['call', 'serve', 'operations', 'describe', 'status', 'queue', 'help'])
    assert.match(help.out, new RegExp(`casewright ${name}`));
});
