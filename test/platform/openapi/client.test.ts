import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { OpenApiDocument } from '../../../src/surfaces/openapi/openapi.ts';
import { testPlatform } from '../../support/platform.ts';
import { clientOf, type ClientAnswer } from '../../support/openapi/client.ts';
import { resolve } from '../../support/openapi/validate.ts';

type Node = Readonly<Record<string, unknown>>;

const platform = await testPlatform({ after });
const { key } = await platform.user('client', 'Administrator');
const document = (await platform.byKey(key).get('/api/openapi.json')).json() as unknown as OpenApiDocument;
const client = clientOf(document, platform.url, key);

describe('a client generated from the document alone', () => {
  const example = (part: string, type: string): unknown =>
    ((resolve(document, `#/components/requestBodies/${part}`)['content'] as Record<string, Node>)[type] as Node)[
      'example'
    ];

  for (const name of ['Contact', 'Organization', 'Role']) {
    const module = name.toLowerCase();

    test(`KRN-22 saves, selects, searches, sums up and deletes ${name} by its examples, and every answer matches the document`, async () => {
      const saved = await client.call(
        `${module}_save`,
        { Output: 'Json' },
        { type: 'application/json', value: example(`${name}.Save`, 'application/json') },
      );
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      const ID = saved.body[`${name}ID`] as number;

      const selected = await client.call(`${module}_select`, { ID, Output: 'Json' });
      assert.deepEqual(selected.body, saved.body);
      const read = await client.call(`${module}_record_get`, { ID });
      assert.equal(read.body[`${name}ID`], String(ID));

      const changed = await client.call(
        `${module}_record_put`,
        { ID, Output: 'Json' },
        { type: 'application/x-www-form-urlencoded', value: { Status: 'Inactive' } },
      );
      assert.equal(changed.body['Status'], 'Inactive');

      const found = await client.call(`${module}_search`, { Status: 'inac*', DisplaySize: 10, Output: 'Json' });
      const rows = (found.body[`${name}Collection`] as Record<string, Node[]>)[`${name}Item`] ?? [];
      assert.deepEqual(
        rows.map((row) => row[`${name}ID`]),
        [ID],
      );
      assert.equal((await client.call(`${module}_search`, { Status: 'inac*' })).body[`${name}ID`], String(ID));

      const tree = await client.call(`${module}_summary_by_id`, { ID, Output: 'Json' });
      assert.equal((tree.body[`${name}Item`] as Node)[`${name}ID`], ID);
      assert.equal((await client.call(`${module}_summary`, { ID })).body[`${name}ID`], String(ID));

      const history = await client.call(`${module}_history_by_id`, { ID, Output: 'Json' });
      const changes = (history.body['HistoryCollection'] as Record<string, Node[]>)['HistoryItem'] ?? [];
      assert.ok(changes.some((change) => change['Field'] === 'Status' && change['NewValue'] === 'Inactive'));
      await client.call(`${module}_history`, { ID });

      const deleted = await client.call(`${module}_record_delete`, { ID, Output: 'Json' });
      assert.equal(deleted.body[`${name}ID`], ID);
      const gone = await client.call(`${module}_select`, { ID, Output: 'Json' });
      assert.equal(gone.status, 404);
      assert.equal((gone.body['Error'] as Node)['Code'], 'NOT_FOUND');
    });

    test(`KRN-22 KRN-07 saves ${name} by its example as a form and as XML with the same result`, async () => {
      const form = await client.call(
        `${module}_save`,
        { Output: 'Json' },
        {
          type: 'application/x-www-form-urlencoded',
          value: example(`${name}.Save`, 'application/x-www-form-urlencoded'),
        },
      );
      assert.equal(form.status, 200, JSON.stringify(form.body));
      await client.call(`${module}_record_delete`, { ID: form.body[`${name}ID`] });
      const xml = await client.call(
        `${module}_save`,
        { Output: 'Json' },
        { type: 'text/xml', value: example(`${name}.Save`, 'text/xml') },
      );
      assert.equal(xml.status, 200, JSON.stringify(xml.body));
      await client.call(`${module}_record_delete`, { ID: xml.body[`${name}ID`] });
      const own = ({ body }: ClientAnswer): unknown =>
        Object.entries(body).filter(([member]) => ![`${name}ID`, 'CreatedDate', 'UpdatedDate'].includes(member));
      assert.deepEqual(own(form), own(xml));
    });
  }

  test('KRN-22 nested children are sent as the document describes, and the summary that shows them is valid', async () => {
    const saved = await client.call(
      'organization_save',
      { Output: 'Json' },
      {
        type: 'application/json',
        value: {
          Organization: 'Nested',
          Contacts: [
            { LastName: 'First', Methods: [{ MethodType: 'Email', ContactValue: 'a@firm.example' }] },
            { LastName: 'Second' },
          ],
        },
      },
    );
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    const tree = await client.call('organization_summary', { ID: saved.body['OrganizationID'], Output: 'Json' });
    const contacts = (tree.body['OrganizationItem'] as Node)['Contacts'] as Node[];
    assert.deepEqual(
      contacts.map((each) => each['LastName']),
      ['First', 'Second'],
    );
    assert.deepEqual(
      (contacts[0]?.['Methods'] as Node[] | undefined)?.map((each) => each['ContactValue']),
      ['a@firm.example'],
    );
    const below = await client.call('contact_summary', { ID: contacts[0]?.['ContactID'], Output: 'Json' });
    assert.equal(((below.body['ContactItem'] as Node)['ParentOrganization'] as Node)['Organization'], 'Nested');
  });

  test('KRN-22 KRN-19 refusals match the document, in JSON and in XML', async () => {
    const unknown = await client.call(
      'contact_delete',
      { Output: 'Json' },
      { type: 'application/json', value: { ID: 999_999_999 } },
    );
    assert.equal(unknown.status, 404);
    const xml = await client.call('contact_select', { ID: 999_999_999 });
    assert.equal(xml.status, 404);
    assert.match(String(xml.body['Message']), /^Contact .* not found/);
    const reader = await platform.user('reader', 'Read Only');
    const refused = await clientOf(document, platform.url, reader.key).call(
      'contact_save',
      { Output: 'Json' },
      { type: 'application/json', value: { LastName: 'A' } },
    );
    assert.equal(refused.status, 403);
  });

  test('KRN-22 KRN-02 the answer to a queued call matches the document, and its status can be read', async () => {
    const queued = await client.call('queue_any_post', {
      module: 'contact',
      operation: 'save',
      QueueLabel: 'sample',
      LastName: 'Later',
      Output: 'Json',
    });
    assert.equal(queued.status, 202);
    const state = await client.call('queue_status', { ID: queued.body['QueueMessageID'], Output: 'Json' });
    assert.equal(state.body['QueueLabel'], 'sample');
    const listed = await client.call('queue_search', { QueueLabel: 'sample', Output: 'Json' });
    assert.equal((listed.body['QueueMessageCollection'] as Record<string, unknown[]>)['QueueMessageItem']?.length, 1);
    await client.call('queue_search', { QueueLabel: 'sample' });
  });

  test("KRN-22 KRN-05 the parent-scope form finds the parent's children", async () => {
    const parent = await client.call(
      'organization_save',
      { Output: 'Json' },
      { type: 'application/json', value: { Organization: 'Parent', Contacts: [{ LastName: 'Child' }] } },
    );
    const below = document.paths['/api/{parentModule}/{parentId}/{module}/{operation}'];
    assert.ok(below);
    const response = await platform.admin.get(
      `/api/organization/${String(parent.body['OrganizationID'])}/contact/search?Output=Json`,
    );
    assert.match(response.text, /"LastName":"Child"/);
  });
});
