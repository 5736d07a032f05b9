import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { mailOutboundConformance } from '../../../../src/contracts/conformance/mail-outbound.ts';
import { FolderMailOutbound } from '../../../../src/providers/mail-outbound/folder/folder-mail-outbound.ts';
import { mailsIn } from '../../../support/peers/mail-server.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the mail folder meets the contract', () => {
  const folder = join(temporaryFolder({ after }), 'mail');
  const outbound = new FolderMailOutbound(folder);
  const peer = {
    outbound,
    arrived: (id: string) => Promise.resolve(mailsIn(folder).find((mail) => mail.header('Message-ID') === `<${id}>`)),
  };
  for (const { title, check } of mailOutboundConformance) it(title, () => check(peer));

  const mail = {
    messageId: 'again@cases.example',
    date: '2026-03-02T09:00:00.000Z',
    from: outbound.from,
    to: [{ address: 'a@receiver.example' }],
    subject: 'a link',
    text: 'https://cases.example/confirm/x',
  };

  it('stores a mail once however often it is sent, readable by its owner alone, and leaves no parts', async () => {
    await Promise.all([outbound.send(mail), outbound.send(mail)]);
    await outbound.send(mail);
    assert.equal(mailsIn(folder).filter((one) => one.header('Message-ID') === '<again@cases.example>').length, 1);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.endsWith('.eml')),
      [],
    );
  });

  it('keeps a thousand mails and deletes the oldest', async () => {
    for (let n = 0; n < 1_000; n++)
      writeFileSync(join(folder, `2020-01-01T00-00-00-000Z-${String(n).padStart(4, '0')}.eml`), 'old');
    await outbound.send({ ...mail, messageId: 'newest@cases.example' });
    const names = readdirSync(folder);
    assert.equal(names.length, 1_000);
    assert.ok(mailsIn(folder).some((one) => one.header('Message-ID') === '<newest@cases.example>'));
    assert.equal(names.includes('2020-01-01T00-00-00-000Z-0000.eml'), false);
  });

  it('if the folder cannot be written the mail is deferred, and check reports it', async () => {
    writeFileSync(join(folder, 'a file'), '');
    const none = new FolderMailOutbound(join(folder, 'a file'));
    await assert.rejects(none.check(), { code: 'UNAVAILABLE' });
    const [outcome] = await none.send(mail).catch((error: unknown) => [{ status: 'threw', detail: String(error) }]);
    assert.equal(outcome?.status, 'later');
  });
});
