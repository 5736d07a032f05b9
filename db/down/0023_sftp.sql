-- down: the accounts of the sFTP server with their history, and which of their files wait to be imported; the files themselves stay
drop table sftpfile;
drop table sftpaccount;
delete from history where tablename = 'sftpaccount';
