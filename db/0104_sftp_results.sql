-- What firms and operators see of files sent by sFTP: why one was not imported, and which imports came that way.
alter table sftpfile add column reason varchar(400), add column leftdate timestamptz;
alter table importfile add column sftpaccountid bigint;
-- online: finds the imports that came by sFTP, by day
create index concurrently if not exists importfile_sftp_idx on importfile (createddate) where sftpaccountid is not null;
