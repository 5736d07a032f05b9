import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadDemo } from '../../../src/app/demo/sample-referrals.ts';
import { type GuideBlock, guideBlocks } from '../../support/guides/guide-blocks.ts';
import { callAsAdministrator, type GuideAccounts } from '../../support/guides/guide-premises.ts';
import { runGuideOn, surroundings } from '../../support/guides/guide-server.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';
import { ADMINISTRATOR_KEY, startServerProcess } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The longest first: its backup, restore and rotation of keys take as long as all others. */
const LONGEST = 'docs/guides/operators/data.md';
const paths = [
  LONGEST,
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/guides/*/*.md', { cwd: ROOT }).sort()].filter(
    (path) => path !== LONGEST,
  ),
];

/** So many guides are run at a time: they wait for programs most of the time. */
const GUIDES_AT_ONCE = 4;

const cleanUp = { after };
const dataFolder = await startedDataFolder(cleanUp);
const running = await startServerProcess(cleanUp, { env: { CASEWRIGHT_DATA: dataFolder, SFTP_PORT: '0' } });
const passwords = new Map<string, string>();
await loadDemo({
  url: running.url,
  administratorKey: ADMINISTRATOR_KEY,
  print: (line) => {
    const [, name, password] = /: (\S+) with password (\S+)$/.exec(line) ?? [];
    if (name !== undefined && password !== undefined) passwords.set(name, password);
  },
});
const server = {
  url: running.url,
  dataFolder,
  sftpPort: Number(/^sftp on 127\.0\.0\.1:(\d+)/m.exec(running.out())?.[1]),
};
const accounts: GuideAccounts = {
  url: running.url,
  key: ADMINISTRATOR_KEY,
  name: 'northgate.import',
  password: passwords.get('northgate.import') ?? '',
};
const around = await surroundings(cleanUp, server, accounts);

describe('guides run against a server with the demo', { concurrency: GUIDES_AT_ONCE }, () => {
  for (const path of paths) {
    it(`${path}: every command works as written, and answers as shown`, async () => {
      const { commands, listed } = await runGuideOn(cleanUp, { path, server, accounts, around });
      const blocks = guideBlocks(readFileSync(join(ROOT, path), 'utf8'));
      assert.equal(commands, blocks.filter(({ use }) => use.kind === 'commands').length);
      assert.equal(listed, blocks.filter(({ use }) => use.kind === 'listed').length);
    });
  }
});

describe('after the guides', () => {
  it('none of the calls that they queued was refused later', async () => {
    const { QueueMessageCollection } = await callAsAdministrator(accounts, 'queue/search', { State: 'dead' });
    assert.deepEqual(QueueMessageCollection, { QueueMessageItem: [] });
  });

  it('INT-02 receivers written as the guide of webhooks shows verify the signature of a delivery', async () => {
    const { Secret, WebhookID } = await callAsAdministrator(accounts, 'webhook/create', {
      Name: 'Verified',
      URL: `${around.receiver.url}/verified`,
      Events: 'Property.delete',
    });
    await callAsAdministrator(accounts, 'webhook/test', { ID: WebhookID });
    const { headers, body } = around.receiver.received.find(({ path }) => path === '/verified') ?? assert.fail();
    const blocks = guideBlocks(readFileSync(join(ROOT, 'docs/guides/integrators/webhooks.md'), 'utf8'));
    const given = JSON.stringify([Secret, headers, body]);
    const program = ({ language, text }: GuideBlock): string =>
      language === 'js'
        ? `${text}\nconst given = ${given};\nconst [secret, headers, body] = given;\n` +
          `console.log(verify(secret, headers, Buffer.from(body)), verify(secret, headers, Buffer.from(body + ' ')));`
        : `${text}\nimport json\nsecret, headers, body = json.loads(${JSON.stringify(given)})\n` +
          `print(verify(secret, headers, body.encode()), verify(secret, headers, (body + " ").encode()))`;
    const folder = temporaryFolder(cleanUp);
    for (const [language, run, file] of [
      ['js', process.execPath, 'receiver.mjs'],
      ['python', 'python3', 'receiver.py'],
    ] as const) {
      const block = blocks.find((each) => each.language === language) ?? assert.fail(`the guide has no ${language}`);
      writeFileSync(join(folder, file), program(block));
      const { stdout, stderr, error } = spawnSync(run, [join(folder, file)], { encoding: 'utf8' });
      // Not every machine has Python.
      if (language === 'python' && error !== undefined) continue;
      assert.equal(stdout.trim().toLowerCase(), 'true false', stderr);
    }
  });
});
