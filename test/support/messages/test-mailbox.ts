import { MAIL_INBOUND, MAIL_INBOUND_TYPE } from '../../../src/contracts/mail-inbound.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { client, type Row } from '../client.ts';
import type { TestPlatform } from '../platform.ts';
import { MemoryReceiver } from './memory-receiver.ts';
import { sampleMail, type SampleMail } from './sample-mail.ts';

/** What became of one mail. */
export interface ReceivedOne {
  readonly receipt: Row;
  /** The message; undefined if the mail became none. */
  readonly message: Row | undefined;
}

/** A saved mailbox whose mails are in memory. */
export interface TestMailbox {
  readonly id: number;
  readonly name: string;
  readonly receiver: MemoryReceiver;
  /** Calls message/receive for it, and returns its row. */
  receive(parameters?: object): Promise<Row>;
  /** Puts a mail into the mailbox, receives it, and returns what became of it. */
  take(mail: SampleMail | Buffer): Promise<ReceivedOne>;
}

/** Saves a mailbox on a platform. */
export async function testMailbox(p: TestPlatform, name: string, fields: object = {}): Promise<TestMailbox> {
  const receiver = new MemoryReceiver();
  p.platform.providers.register(MAIL_INBOUND, name, receiver);
  p.platform.providers.register(MAIL_INBOUND_TYPE, name, {
    options: { Host: f.text({ doc: 'The server.', max: 255, exact: true }) },
    validate: () => undefined,
    open: () => receiver,
  });
  const api = client(p);
  const saved = await api.save('mailinbound', {
    MailInbound: name,
    Receiver: name,
    Host: 'mail.example',
    Since: '2026-01-01T00:00:00Z',
    ...fields,
  });
  const id = Number(saved['MailInboundID']);
  const receive = async (parameters: object = {}): Promise<Row> => {
    const [row] = await api.expectRows('message/receive', { Account: name, ...parameters });
    return row ?? {};
  };
  const take = async (mail: SampleMail | Buffer): Promise<ReceivedOne> => {
    const uid = receiver.add(Buffer.isBuffer(mail) ? mail : sampleMail(mail));
    await receive();
    const [receipt = {}] = await api.expectRows('mailreceipt/search', {
      MailInboundID: id,
      Uid: uid,
      UidValidity: String(receiver.uidValidity),
    });
    const messageId = receipt['MessageID'];
    return {
      receipt,
      message: messageId === null || messageId === undefined ? undefined : await api.select('message', messageId),
    };
  };
  return { id, name, receiver, receive, take };
}

/** Stores a message that was sent from a case, with its recipients. Returns its ID and Message-ID. */
export async function sentMessage(
  p: TestPlatform,
  of: {
    readonly caseId: number;
    readonly to: readonly string[];
    readonly subject?: string;
    readonly from?: string;
    readonly templateId?: number;
  },
): Promise<{ readonly id: number; readonly mailId: string }> {
  const { caseId, to, subject = 'Your loan', from = 'office@office.example', templateId = null } = of;
  const [row] = await p.platform.store.query<{ id: number; mailId: string }>(
    `insert into message (message, bodytext, object, objectid, messagetemplateid, status, messagetype, fromaddress,
       internetmessageid, createdpersonid)
     values ($1::text, 'Please see.', 'Foreclosure', $2::bigint, $4::bigint, 'Sent', 'Email', $3::text,
       gen_random_uuid() || '@cases.example', 1)
     returning messageid as id, internetmessageid as "mailId"`,
    [subject, caseId, from, templateId],
  );
  if (!row) throw new Error('no message was stored');
  await p.platform.store.query(
    `insert into messagerecipient (messageid, messagerecipient, category, status)
     select $1::bigint, address, 0, 'Sent' from jsonb_array_elements_text($2::text::jsonb) address`,
    [row.id, JSON.stringify(to)],
  );
  return row;
}
