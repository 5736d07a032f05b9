import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { sampleMail } from '../../support/messages/sample-mail.ts';
import { startDovecot, withoutDovecot } from '../../support/peers/dovecot.ts';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { ADMINISTRATOR_KEY, call } from '../../support/processes/server-process.ts';

/** Kills; `npm run soak -- mails` makes 20 while 10,000 mails are received. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_MAIL_KILL_ROUNDS'] ?? 2);
const MAILS_PER_ROUND = ROUNDS > 2 ? 500 : 30;
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
const USER = 'killed@firm.example';

const ADDRESS = { MailInbound: 'Killed', MailInboundType: 'ImapReceiver', Host: 'localhost', UserName: USER };

test(
  'MSG-05 MSG-07 a server killed while two receivers read a mailbox stores each mail once, with its file',
  { skip: withoutDovecot },
  async (t) => {
    const server = await startDovecot({ after });
    let delivered = 0;
    const deliver = (count: number): void => {
      for (let n = 0; n < count; n++, delivered++) {
        const files = [{ name: `${delivered}.txt`, mime: 'text/plain', content: `File ${delivered}` }];
        server.deliver(
          USER,
          sampleMail({ subject: `Killed ${delivered}`, messageId: `k${delivered}@x.example`, files }),
        );
      }
    };
    const saved = async (url: string, path: string, values: object): Promise<void> => {
      const answer = await call(url, `/api/${path}?Output=Json`, String(new URLSearchParams(values as never)));
      // A kill can come between one answer and the next save: it exists then.
      assert.ok(answer.status < 300 || answer.status === 409, `${answer.status} ${await answer.text()}`);
    };
    let isSetUp = false;
    const setUp = async (url: string): Promise<void> => {
      if (isSetUp) return;
      await saved(url, 'setting/save', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8 ::1' });
      await saved(url, 'mailinbound/save', {
        ...ADDRESS,
        Port: server.tlsPort,
        Authorities: server.authority,
        Password: server.password,
        Since: '2020-01-01T00:00:00Z',
        ReceivedFolder: 'Received',
      });
      isSetUp = true;
    };
    const receive = (url: string, signal?: AbortSignal): Promise<string> =>
      fetch(`${url}/api/message/receive?Account=Killed&Output=Json`, {
        headers: { 'X-ApiKey': ADMINISTRATOR_KEY },
        ...(signal ? { signal } : {}),
      }).then(
        (answer) => answer.text(),
        () => '',
      );
    /** The server's own watch receives too. */
    const workload = async ({ url, signal }: KillRound): Promise<void> => {
      try {
        await setUp(url);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      deliver(MAILS_PER_ROUND);
      while (!signal.aborted) await receive(url, signal);
    };
    const verify = async (_url: string, sql: KillSql): Promise<void> => {
      const twice = await sql`select message from message where mailinboundid is not null group by message
        having count(*) > 1`;
      assert.deepEqual([...twice], [], 'stored twice');
      const incomplete = await sql`select m.message from message m where m.mailinboundid is not null and (
          (select count(*) from attachment a where a.object = 'Message' and a.objectid = m.messageid) <> 1
          or not exists (select from mailreceipt r where r.messageid = m.messageid and r.attachmentid is not null)
          or not exists (select from messagerecipient r where r.messageid = m.messageid)
          or not exists (select from objectsubscription s where s.object = 'Message' and s.objectid = m.messageid))`;
      assert.deepEqual([...incomplete], [], 'half-written');
    };
    let stored: readonly string[] = [];
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      workload,
      async verify(url, sql) {
        await verify(url, sql);
        stored = (await sql`select message from message where mailinboundid is not null`).map((row) =>
          String(row['message']),
        );
      },
      async finish(url) {
        await setUp(url);
        if (delivered < ROUNDS * MAILS_PER_ROUND) deliver(ROUNDS * MAILS_PER_ROUND - delivered);
        await eventually(
          'nothing is left in the folder',
          async () => {
            await receive(url);
            return server.mails(USER).length === 0;
          },
          120_000,
        );
      },
    });
    assert.equal(stored.length, delivered);
    assert.equal(server.mails(USER, 'Received').length, delivered, 'nothing was deleted on the server');
  },
);
