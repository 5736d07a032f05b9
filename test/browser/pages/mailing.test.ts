/** The page of a mailing: letters with their states, retries, cancellations and returns. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { mailedCase, prepare } from '../../support/mailings.ts';
import { startMailHouse } from '../../support/peers/mail-house.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
const house = await startMailHouse({ after });
await p.user('clerk', 'Staff');
let letters: Row[] = [];
let path = '';

before(async () => {
  await admin.save('setting', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
  await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await admin.save('mailhouse', {
    MailHouse: 'Springfield',
    MailHouseType: 'http',
    Options: `Endpoint=${encodeURIComponent(house.url)}&LetterCents=120`,
    Secrets: `ApiKey=${encodeURIComponent(house.key)}`,
  });
  const cases = [];
  for (const name of ['Arrived', 'Refused', 'Stopped', 'Moved']) cases.push(await mailedCase(admin, name));
  letters = await prepare(admin, { AttachmentID: cases.map(({ documentId }) => documentId), Name: 'November notices' });
  path = `/mailings/${String(letters[0]?.['DeliveryBatchID'])}`;
});

const idOf = (name: string): unknown =>
  letters.find(({ RecipientName }) => String(RecipientName).endsWith(name))?.['DeliveryID'];
const status = async (name: string): Promise<unknown> => (await admin.select('delivery', Number(idOf(name))))['Status'];

describe('the page of a mailing', { skip: browserMissing }, () => {
  it('DOC-12 WEB-01 by keyboard: letters are submitted, tried again, canceled and recorded as returned, each with its state and time', async (t) => {
    const { LetterKey: refused } = await admin.select('delivery', Number(idOf('Refused')));
    house.hooks.letter = ({ key }, response) => {
      if (key !== refused) return false;
      response.writeHead(422).end(JSON.stringify({ message: 'Color is not available.' }));
      return true;
    };
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open(path);
    assert.match(await clerk.waitFor('November notices'), /4 letters/);
    await clerk.tabTo('button', 'Submit to the mail house');
    await clerk.follow(() => clerk.keys('Enter'));
    await clerk.waitFor('being sent to the mail house', '.toasts');
    // The page follows the letters by itself.
    await clerk.waitFor('Color is not available.', '#letters-live');
    await clerk.waitFor('Submitted', `#letter-${String(idOf('Moved'))}`);
    await screenshot(page, 'mailing');
    assert.deepEqual(await visibleFaults(page), []);

    Reflect.deleteProperty(house.hooks, 'letter');
    await page.focus(`#letter-${String(idOf('Refused'))} input`);
    await clerk.keys('Space');
    await clerk.tabTo('button', 'Try failed letters again');
    await clerk.follow(() => clerk.keys('Enter'));
    await clerk.waitFor('Letters are mailed again', '.toasts');
    await clerk.waitFor('Submitted', `#letter-${String(idOf('Refused'))}`);
    await eventually('the letter is submitted', async () => (await status('Refused')) === 'Submitted');

    await page.focus(`#letter-${String(idOf('Stopped'))} input`);
    await clerk.keys('Space');
    await clerk.tabTo('button', 'Cancel');
    await clerk.follow(() => clerk.keys('Enter'));
    await clerk.waitFor('Canceled', `#letter-${String(idOf('Stopped'))}`);

    await page.focus(`#letter-${String(idOf('Moved'))} input`);
    await clerk.keys('Space');
    await page.focus('[name=Reason]');
    await page.keyboard.type('Moved, left <b>no</b> address');
    await clerk.tabTo('button', 'Record a return');
    await clerk.follow(() => clerk.keys('Enter'));
    assert.match(await clerk.waitFor('Returned', `#letter-${String(idOf('Moved'))}`), /left <b>no<\/b> address/);
    assert.match(await clerk.waitFor('Returned', '.tabs'), /All 4|All\s*4/);
    await screenshot(page, 'mailing-returned');
    assert.deepEqual(await visibleFaults(page), []);
    assert.deepEqual(await Promise.all(['Arrived', 'Refused', 'Stopped', 'Moved'].map(status)), [
      'Submitted',
      'Submitted',
      'Canceled',
      'Returned',
    ]);
  });
});
