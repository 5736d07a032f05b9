-- down: mutes of health findings
drop table healthmute;
