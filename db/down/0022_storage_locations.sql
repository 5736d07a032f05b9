-- down: the storage locations with their history, the files that lie in the database, and which files watches have seen; files elsewhere stay, their documents do not find them
drop table watchedfile;
drop table storedfile;
drop table filepiece;
drop table filecontent;
drop index attachment_fileobject_idx;
drop table fileobject;
delete from history where tablename = 'fileobject';
