import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { enqueue, failing, marksOf, probe, until } from '../../support/worker/probe.ts';

describe("an operator's morning at the console", { skip: browserMissing }, async () => {
  const p = await testPlatform({ after }, { worker: true, fixture: probe });
  await p.user('chief', 'Administrator');
  const admin = client(p);

  /** Imports a file of which two rows have a wrong cell. Returns the import's ID. */
  async function sendFile(): Promise<number> {
    const type = await admin.save('importfiletemplate', {
      ImportFileTemplate: 'Morning',
      AppliesTo: 'Property',
      ImportEngine: 'DelimitedEngine',
    });
    for (const [source, destination, dataType] of [
      ['Street', 'Address', 'Text'],
      ['Kind', 'Status', 'Integer'],
    ])
      await admin.save('importfilemap', {
        ImportFileTemplateID: type['ImportFileTemplateID'],
        ImportFileMap: source,
        Destination: destination,
        DataType: dataType,
      });
    const answer = await p.admin.send(
      'POST',
      '/api/importfile/importbyobject?Output=Json&Validate=false&Template=Morning&PreTransform_FileName=morning.csv',
      'Street,Kind\n1 Morning Rd,1\n2 Morning Rd,one\n3 Morning Rd,two\n',
      { 'Content-Type': 'text/plain' },
    );
    const { ImportResults: results } = answer.json() as { ImportResults?: Row };
    return Number(results?.['ID']);
  }

  it('WEB-03 WEB-06 corrects failed rows of an import and retries a dead letter, all by keyboard', async (t) => {
    const id = await sendFile();
    await failing(p, 'morning', 1, 'RULE_EXCEPTION');
    const call = await enqueue(p.admin, '/api/probe/queue/mark?Word=morning');
    await until(p.admin, call, 'dead');
    const chief = await visitor(t, p, 'chief');

    await chief.open('/imports');
    await chief.waitFor('2 rows');
    await chief.tabTo('link', 'morning.csv');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('1 of 3 rows was imported. 2 rows wait for you.');
    assert.deepEqual(await visibleFaults(chief.page), []);

    await chief.tabTo('link', 'Fix this row in line 3');
    await chief.follow(() => chief.keys('Enter'));
    assert.match(await chief.focused(), /Kind/, 'the wrong cell has the focus');
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.page.keyboard.press('End');
    for (const _ of 'one') await chief.keys('Backspace');
    await chief.page.keyboard.type('7');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('2 of 3 rows were imported. 1 row waits for you.');

    await chief.tabTo('textbox', 'Kind should be');
    await chief.page.keyboard.type('8');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('All 3 rows were imported.');
    const kinds = await admin.expectRows('property/search', { Address: '*Morning Rd', OrderBy: 'Address' });
    assert.deepEqual(
      kinds.map(({ Status: status }) => status),
      ['1', '7', '8'],
    );
    assert.equal((await admin.select('importfile', id))['ErrorCount'], 0);

    await chief.open('/administration');
    await chief.waitFor('1 dead letter');
    await chief.open('/administration/queues');
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.tabTo('link', 'Failed on purpose for morning.');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('What failed');
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.tabTo('link', call.slice(0, 8));
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('Called with');
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.tabTo('button', 'Retry probe/mark');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('Done');
    await chief.open('/administration/queues');
    await chief.waitFor('There are no dead letters.');
    await eventually('the call has run', async () => ((await marksOf(p, 'morning')) === 1 ? true : undefined));
  });

  it('WEB-06 pauses an operation with the mouse, resumes it by keyboard, and watches the security log', async (t) => {
    const chief = await visitor(t, p, 'chief');
    await chief.open('/administration/queues');
    // The menu of the last queue is not cut off by the table.
    await chief.page.click('#queues tbody tr:last-child details.menu summary');
    const isOnTop = `(() => {
      const stop = document.querySelector('details.menu[open] button').getBoundingClientRect();
      return document.elementFromPoint(stop.x + 5, stop.y + 5)?.closest('details.menu[open] button') != null;
    })()`;
    await chief.page.waitForFunction(isOnTop);
    await chief.keys('Escape');
    await chief.page.click('#queues tbody tr:first-child details.menu summary');
    await chief.page.click('#of-Default');
    await chief.page.keyboard.type('probe/mark');
    await chief.page.click('#stop-Default');
    await chief.page.keyboard.type('The printer is broken.');
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.follow(() => chief.click('button', 'Stop Default'));
    await chief.waitFor('Calls of probe/mark in Default are paused.');
    const call = await enqueue(p.admin, '/api/probe/queue/mark?Word=paused');
    await until(p.admin, call, 'paused');
    await chief.tabTo('button', 'Resume probe/mark in Default');
    await chief.follow(() => chief.keys('Enter'));
    await until(p.admin, call, 'completed');

    await chief.open('/administration/security?Event=Operation+paused');
    await chief.follow(() => chief.keys('l'));
    await chief.waitFor('Live: new entries appear');
    await admin.expectOk('queue/stop', { QueueName: 'Mail', Operation: 'probe/mark', Reason: 'Seen live.' });
    await chief.waitFor('Seen live.');
    await chief.follow(() => chief.keys('l'));
    assert.doesNotMatch(await chief.waitFor('Seen live.'), /Live: new entries/);
    await admin.expectOk('queue/start', { QueueName: 'Mail', Operation: 'probe/mark' });
  });

  it('WEB-06 changes a setting and undoes it, deactivates a user and gives their work back, all by keyboard', async (t) => {
    const leaver = await p.user('leaver', 'Staff');
    const colleague = await p.user('colleague', 'Staff');
    const record = await admin.save('foreclosure', { Foreclosure: 'FC-9', AssignedPersonID: leaver.personId });
    const caseId = Number(record['ForeclosureID']);
    const assignee = async (): Promise<unknown> => (await admin.select('foreclosure', caseId))['AssignedPersonID'];
    const chief = await visitor(t, p, 'chief');
    await chief.open('/');
    await chief.follow(() => chief.keys('g', 'a'));
    await chief.tabTo('link', 'Settings');
    await chief.follow(() => chief.keys('Enter'));
    await chief.tabTo('searchbox', 'Find a setting');
    await chief.page.keyboard.type('SessionIdleMinutes');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('Session idle minutes');
    await chief.tabTo('textbox', 'Value of SessionIdleMinutes');
    await chief.keys('Control+a');
    await chief.page.keyboard.type('240');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('Changed');
    await chief.tabTo('button', 'Reset to default SessionIdleMinutes');
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('SessionIdleMinutes saved', 'body');
    assert.deepEqual(await admin.expectRows('setting/search', { Setting: 'SessionIdleMinutes' }), []);

    await chief.tabTo('link', 'Users');
    await chief.follow(() => chief.keys('Enter'));
    await chief.tabTo('searchbox', 'Sign-in name');
    await chief.page.keyboard.type('leaver');
    await chief.follow(() => chief.keys('Enter'));
    await chief.tabTo('link', 'leaver');
    await chief.follow(() => chief.keys('Enter'));
    await chief.tabTo('link', 'Deactivate…');
    await chief.follow(() => chief.keys('Enter'));
    await chief.tabTo('textbox', 'Cases go to');
    await chief.page.keyboard.type('colle');
    await chief.page.waitForSelector('[role=option][aria-selected=true]');
    await chief.keys('Enter');
    await chief.tabTo('textbox', 'Reason');
    await chief.page.keyboard.type('Retires');
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.follow(() => chief.keys('Enter'));
    await chief.waitFor('Undo deactivation');
    await eventually('the case is given away', async () => {
      const [file] = await admin.expectRows('importfile/search', { OrderBy: '-ImportFileID', DisplaySize: 1 });
      return (await assignee()) === colleague.personId && file?.['Status'] !== 'Importing';
    });
    assert.deepEqual(await visibleFaults(chief.page), []);
    await chief.tabTo('button', 'Undo deactivation');
    await chief.follow(() => chief.keys('Enter'));
    await eventually('it is given back', async () => (await assignee()) === leaver.personId);
  });

  it('WEB-06 the pages for administrators have no faults on a desk and on a phone, in light and dark', async (t) => {
    const chief = await visitor(t, p, 'chief');
    for (const path of [
      '/administration',
      '/administration/settings?Text=session',
      '/administration/security',
      '/account',
    ]) {
      await chief.open(path);
      assert.deepEqual(await visibleFaults(chief.page), [], path);
    }
  });
});
