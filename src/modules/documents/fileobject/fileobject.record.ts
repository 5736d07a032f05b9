import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const fileObject = defineRecord({
  name: 'FileObject',
  title: 'Storage location',
  doc: 'A named storage location, where files arrive, are sent to or are stored.',
  reach: 'none',
  labelDoc: 'The name by which operations and templates refer to the location; it cannot change.',
  labelMax: 100,
  triggers: { fileobject_configuration: 'Notifies every process that storage locations changed.' },
  fields: {
    Description: f.text({ doc: 'What the location is for.', max: 2000 }),
    Folder: f.text({
      doc:
        "Local: a folder below the installation's folder of storages. sFTP: a folder on the server. S3: the " +
        'prefix of all keys.',
      max: 500,
      exact: true,
    }),
    Endpoint: f.text({
      doc: "S3: the address of the store if it is not Amazon's: `https://storage.example`.",
      max: 500,
      exact: true,
    }),
    Region: f.text({ doc: 'S3: the region; by default us-east-1.', max: 40, exact: true }),
    Bucket: f.text({ doc: 'Of S3, the bucket.', max: 63, exact: true }),
    PathStyle: f.boolean({
      doc: 'S3: whether the bucket is in the path rather than in the host name; on by default if there is an Endpoint.',
    }),
    AccessKeyID: f.text({ doc: 'S3: the access key ID.', max: 200, exact: true }),
    SecretAccessKey: f.secret({
      label: 'Secret key',
      doc: 'S3: the secret access key. Stored encrypted and never shown.',
      max: 2000,
    }),
    Host: f.text({ doc: 'Of sFTP, the server.', max: 255, exact: true }),
    Port: f.integer({ doc: 'sFTP: the port; by default 22.' }),
    UserName: f.text({ doc: 'sFTP: the user name.', max: 200, exact: true }),
    Password: f.secret({
      doc: 'sFTP: the password, if no key is used. Stored encrypted and never shown.',
      max: 2000,
    }),
    PrivateKey: f.secret({
      doc: 'sFTP: the private key, in OpenSSH or PEM format. Stored encrypted and never shown.',
      max: 30000,
    }),
    Passphrase: f.secret({
      doc: 'sFTP: the passphrase of the private key. Stored encrypted and never shown.',
      max: 2000,
    }),
    HostKey: f.text({
      label: 'Server key',
      doc:
        "sFTP: fingerprints of the server's keys, comma-separated: `SHA256:…`. Required to connect; " +
        'fileobject/test returns the key that the server shows.',
      max: 1000,
      exact: true,
    }),
    ConnectionsMax: f.integer({
      label: 'Connections at once',
      doc: 'Most connections of one process to the location.',
    }),
    TimeoutSeconds: f.integer({
      label: 'Timeout in seconds',
      doc: 'Timeout of a response from the location, in seconds.',
    }),
    Options: f.text({
      doc: "Options of the location's kind for which there is no field here, as a query string.",
      max: 10000,
      exact: true,
    }),
    Secrets: f.secret({
      doc:
        "Secret options of the location's kind for which there is no field here, as a query string. " +
        'Stored encrypted and never shown.',
      max: 30000,
    }),
  },
});
