-- down: when the certificates of other servers end; they are read again after the next upgrade
drop table servercertificate;
