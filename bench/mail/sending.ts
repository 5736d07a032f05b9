import type { BenchOptions } from '../run.ts';
import { startChild } from '../lib/child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from '../lib/database.ts';
import { compare, line, type Side } from '../lib/pairs.ts';
import type { ProductHandlers } from '../lib/product.ts';
import { CONNECTIONS } from './sample-mail.ts';
import type { MailPeerHandlers } from './mail-peer.ts';
import type { NodemailerHandlers } from './nodemailer.ts';

const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';
/** Approximate number of mails per second of a slice. */
const MAILS_A_SECOND = 400;

/**
 * A message to many recipients, sent over the product's connections to a mail server, compared with nodemailer's pool
 * with as many connections to the same server. The product claims each mail, records that its transmission begins and
 * what became of it, each before the next step; nodemailer remembers nothing.
 */
export async function benchSending(options: BenchOptions): Promise<void> {
  if (!options.takes('mail: sending')) return;
  const database = await startDatabase();
  const ours = await database.create('bench');
  const peer = await startChild<MailPeerHandlers>('../mail/mail-peer.ts');
  const floor = await startChild<NodemailerHandlers>('../mail/nodemailer.ts');
  const product = await startChild<ProductHandlers>(
    'product.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  try {
    const port = await peer.ask('start', undefined);
    await floor.ask('start', port);
    const web = await product.ask('start', {
      databaseUrl: database.url('bench'),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web', 'worker'],
    });
    await configure(`http://127.0.0.1:${web}`, port);
    const mails = options.rows ?? Math.round((options.plan.milliseconds / 1_000) * MAILS_A_SECOND);
    const floorSide: Side = {
      slice: async () => ({ calls: mails, seconds: await floor.ask('send', mails) }),
      cpu: () => floor.ask('cpu', undefined),
    };
    const productSide: Side = {
      slice: async () => {
        await product.ask('postMessage', mails);
        return drain(database, ours, mails);
      },
      cpu: () => product.ask('cpu', undefined),
      databaseCpu: () => database.cpu(),
    };
    const found = await compare(floorSide, productSide, options.plan);
    options.print(line('mail: sending, nodemailer pool as 1', found, { rateAtLeast: 0.7 }));
  } finally {
    await Promise.all([product.stop(), floor.stop(), peer.stop()]);
    await database.stop();
  }
}

/** Adds the mail server. */
async function configure(url: string, port: number): Promise<void> {
  const save = async (module: string, values: object): Promise<void> => {
    const answer = await fetch(`${url}/api/${module}/save?Output=Json`, {
      method: 'POST',
      headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify(values),
    });
    if (answer.status !== 200) throw new Error(`${module}/save answered ${answer.status}: ${await answer.text()}`);
  };
  await save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await save('mailoutbound', {
    MailOutbound: 'Bench',
    Host: '127.0.0.1',
    Port: port,
    Security: 'None',
    ConnectionsMax: CONNECTIONS,
    FromAddress: 'cases@cases.example',
  });
}

/** Waits until all mails are sent; the time is from the first attempt's begin to the last outcome. */
function drain(
  database: BenchDatabase,
  connection: BenchConnection,
  mails: number,
): Promise<{ calls: number; seconds: number }> {
  return database.use(connection, async (sql) => {
    for (;;) {
      const [found] = await sql.unsafe<{ open: number; wrong: number; seconds: number | null }[]>(
        `select count(*) filter (where status in ('Waiting', 'Sending'))::integer as open,
           count(*) filter (where status not in ('Waiting', 'Sending', 'Sent'))::integer as wrong,
           extract(epoch from max(updateddate) - min(lastattempt))::float8 as seconds
         from maildelivery`,
      );
      if (!found || found.wrong > 0) throw new Error(`${String(found?.wrong)} mails failed`);
      if (found.open === 0) {
        await sql.unsafe('truncate maildelivery, mailcontent, messagerecipient, message cascade');
        return { calls: mails, seconds: found.seconds ?? Number.NaN };
      }
      await sql.unsafe('select pg_sleep(0.25)');
    }
  });
}
