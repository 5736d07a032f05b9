import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const environment = defineSetting(
  'Environment',
  f.text({
    doc: 'Which environment this installation is, such as Production or UAT. Accounts of the sFTP server that belong to another are refused.',
    max: 60,
  }),
  'Production',
);
export const sftpSessionsMax = defineSetting(
  'SftpSessionsMax',
  f.integer({ doc: 'Signed-in connections to one sFTP server at a time.' }),
  200,
);
export const sftpSessionsPerAccountMax = defineSetting(
  'SftpSessionsPerAccountMax',
  f.integer({ doc: 'Connections of one account to one sFTP server at a time.' }),
  10,
);
export const sftpHomeMegabytesMax = defineSetting(
  'SftpHomeMegabytesMax',
  f.integer({ doc: 'How many megabytes the home of one account holds.' }),
  4096,
);
export const sftpFileMegabytesMax = defineSetting(
  'SftpFileMegabytesMax',
  f.integer({ doc: 'How many megabytes one file has that comes by sFTP.' }),
  2048,
);
export const sftpIdleMinutes = defineSetting(
  'SftpIdleMinutes',
  f.integer({ doc: 'After how many minutes in which nothing is asked a connection to the sFTP server is ended.' }),
  15,
);
export const sftpQuietSeconds = defineSetting(
  'SftpQuietSeconds',
  f.integer({
    doc: 'How long a file that came by sFTP must lie complete, and not be written again, before it is imported.',
  }),
  5,
);

export const settings = [
  environment,
  sftpSessionsMax,
  sftpSessionsPerAccountMax,
  sftpHomeMegabytesMax,
  sftpFileMegabytesMax,
  sftpIdleMinutes,
  sftpQuietSeconds,
] as const;
