import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const fileObject = defineRecord({
  name: 'FileObject',
  doc: 'A named storage location: where files arrive, are sent to, or are kept.',
  reach: 'none',
  labelDoc: 'The name by which operations and templates name the location; it stays as it is.',
  labelMax: 100,
  triggers: { fileobject_configuration: 'Tells every process that storage locations changed.' },
  fields: {
    Description: f.text({ doc: 'What the location is for.', max: 2000 }),
    Folder: f.text({
      doc: "Of a local one, a folder below the installation's folder of storages; of sFTP, a folder on the server; of S3, what all keys begin with.",
      max: 500,
      exact: true,
    }),
    Endpoint: f.text({
      doc: "Of S3, the address of the store where it is not Amazon's: `https://storage.example`.",
      max: 500,
      exact: true,
    }),
    Region: f.text({ doc: 'Of S3, the region; us-east-1 where it is empty.', max: 40, exact: true }),
    Bucket: f.text({ doc: 'Of S3, the bucket.', max: 63, exact: true }),
    PathStyle: f.boolean({
      doc: 'Of S3, whether the bucket stands in the path rather than in the name of the host; on where there is an Endpoint.',
    }),
    AccessKeyID: f.text({ doc: 'Of S3, the id of the access key.', max: 200, exact: true }),
    SecretAccessKey: f.secret({ doc: 'Of S3, the secret of the access key. Kept sealed and never shown.', max: 2000 }),
    Host: f.text({ doc: 'Of sFTP, the server.', max: 255, exact: true }),
    Port: f.integer({ doc: 'Of sFTP, its port; 22 where it is empty.' }),
    UserName: f.text({ doc: 'Of sFTP, who signs in.', max: 200, exact: true }),
    Password: f.secret({
      doc: 'Of sFTP, the password, where no key signs in. Kept sealed and never shown.',
      max: 2000,
    }),
    PrivateKey: f.secret({
      doc: 'Of sFTP, the private key that signs in, as OpenSSH or PEM has it. Kept sealed and never shown.',
      max: 30000,
    }),
    Passphrase: f.secret({
      doc: 'Of sFTP, the passphrase of the private key. Kept sealed and never shown.',
      max: 2000,
    }),
    HostKey: f.text({
      doc: "Of sFTP, fingerprints of the server's keys, comma-separated: `SHA256:…`. Without one nothing is connected; fileobject/test tells what the server shows.",
      max: 1000,
      exact: true,
    }),
    ConnectionsMax: f.integer({ doc: 'The most connections of one process to the location.' }),
    TimeoutSeconds: f.integer({ doc: 'How many seconds an answer of the location may take.' }),
  },
});
